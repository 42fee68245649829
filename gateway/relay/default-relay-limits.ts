import type { RelayLimits } from "./relay-context.ts";
import { defaultRetryLimits } from "./retry-pause.ts";

export const defaultRelayLimits: RelayLimits = {
  retry: defaultRetryLimits,
  startWithinMs: 60_000,
  deliverWithinMs: 60_000,
  settledAfterMs: 5_000,
  recognisedForMs: 120_000,
  concurrency: 128,
  digestAfterMs: 15 * 60_000,
  gatherMs: 5_000,
  streamAfterMs: 1_000,
  stopWithinMs: 15_000,
  leaseMs: 10_000,
};
