import { propertyRuns } from "../setup/property-runs.ts";

/** A few hundred seeded cases in `npm test`; `FUZZ_RUNS=20000 npx vitest run test/fuzz` sets another number. */
export const fuzzRuns = (defaultRuns: number) => {
  const { seed, endOnFailure } = propertyRuns(defaultRuns);
  return { numRuns: Number(process.env.FUZZ_RUNS ?? defaultRuns), seed, endOnFailure };
};
