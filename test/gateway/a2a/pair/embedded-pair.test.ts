import { delegationCrashes, lateCrashes, pairCrashes } from "./pair-crashes.ts";

pairCrashes("embedded", [...delegationCrashes, ...lateCrashes]);
