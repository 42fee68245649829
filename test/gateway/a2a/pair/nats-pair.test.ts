import fc from "fast-check";
import { propertyRuns } from "../../../setup/property-runs.ts";
import { delegationCrashes, lateCrashes, pairCrashes } from "./pair-crashes.ts";

const { numRuns, seed } = propertyRuns(2);
const some = Math.min(numRuns, delegationCrashes.length);
const [steps = []] = fc.sample(fc.shuffledSubarray([...delegationCrashes], { minLength: some, maxLength: some }), {
  numRuns: 1,
  seed,
});
pairCrashes("nats", [...steps, ...lateCrashes]);
