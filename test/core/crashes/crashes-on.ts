import fc from "fast-check";
import { propertyRuns } from "../../setup/property-runs.ts";
import type { DataOptions } from "./backbone-data.ts";

/**
 * The crashes to test on a backbone: all on embedded, and on NATS, where one takes twice as long, a seeded choice.
 * `MOORING_RUNS=100` tests all of them there too.
 */
export const crashesOn = <T>(kind: DataOptions["kind"], crashes: readonly T[], onNats: number): readonly T[] => {
  const { numRuns, seed } = propertyRuns(onNats);
  if (kind === "embedded" || numRuns >= crashes.length) return crashes;
  const limits = { minLength: numRuns, maxLength: numRuns };
  const [chosen = []] = fc.sample(fc.shuffledSubarray([...crashes], limits), { numRuns: 1, seed });
  return chosen;
};
