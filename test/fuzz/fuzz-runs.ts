import { propertyRuns } from "../setup/property-runs.ts";

/** A few hundred seeded cases in `npm test`; as many as wanted with `FUZZ_RUNS=20000 npx vitest run test/fuzz`. */
export const fuzzRuns = (fewest: number) => {
  const { seed, endOnFailure } = propertyRuns(fewest);
  return { numRuns: Number(process.env.FUZZ_RUNS ?? fewest), seed, endOnFailure };
};
