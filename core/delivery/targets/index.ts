export type { AfterRefusal, Target, TargetDeps } from "./targets.ts";
export { afterRefusal, isRefused, isStillTarget, isUserStarted, originKindOf, targetsOn } from "./targets.ts";
