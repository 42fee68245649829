import type { Bus } from "../contract/bus.ts";
import { subjectsOf } from "../contract/subjects.ts";

interface Work {
  readonly tenant: string;
  readonly agent: string;
  readonly traceId: string;
}

/** Something about a piece of work was just stored: whoever watches it looks again. */
export const signalProgress = (bus: Bus, { tenant, agent, traceId }: Work): void =>
  bus.signal(subjectsOf(tenant).traceChanged(agent), { traceId });
