/**
 * How often a property is tried, and with which seed. `npm test` tries a few seeded cases; as many as wanted with
 * `MOORING_RUNS=500 MOORING_SEED=7 npx vitest run test/core/deaths/embedded-delegation-lives.test.ts`.
 */
export const propertyRuns = (fewest: number) => ({
  numRuns: Number(process.env.MOORING_RUNS ?? fewest),
  seed: Number(process.env.MOORING_SEED ?? 20_260_310),
  endOnFailure: true,
});
