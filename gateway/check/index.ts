export { checkLive } from "./check-live.ts";
export { deploymentWarnings } from "./deployment-warnings.ts";
export { describeRights } from "./describe-rights.ts";
export type { Finding } from "./finding.ts";
