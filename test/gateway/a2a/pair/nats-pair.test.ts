import fc from "fast-check";
import { propertyRuns } from "../../../setup/property-runs.ts";
import { everyDeath, lateDeaths, pairDeaths } from "./pair-deaths.ts";

const { numRuns, seed } = propertyRuns(2);
const some = Math.min(numRuns, everyDeath.length);
const [deaths = []] = fc.sample(fc.shuffledSubarray([...everyDeath], { minLength: some, maxLength: some }), {
  numRuns: 1,
  seed,
});
pairDeaths("nats", [...deaths, ...lateDeaths]);
