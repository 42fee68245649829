/**
 * The number of cases of a property, and the seed. `npm test` runs a few seeded cases; more run with
 * `MOORING_RUNS=500 MOORING_SEED=7 npx vitest run test/core/crashes/embedded-random-delegation.test.ts`.
 */
export const propertyRuns = (fewest: number) => ({
  numRuns: Number(process.env.MOORING_RUNS ?? fewest),
  seed: Number(process.env.MOORING_SEED ?? 20_260_310),
  endOnFailure: true,
});
