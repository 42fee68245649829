export { isRefused } from "./secondary-targets.ts";
export { type AfterRefusal, afterRefusal, isStillTarget, type Target, type TargetDeps, targetsOn } from "./targets.ts";
