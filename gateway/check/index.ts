export { checkLive } from "./check-live.ts";
export { describeServers } from "./check-servers.ts";
export { deploymentWarnings } from "./deployment-warnings.ts";
export { describeRights } from "./describe-rights.ts";
export { describeBuiltIn, describeTools } from "./describe-tools.ts";
export type { Finding } from "./finding.ts";
export { unlinkedChannels } from "./linked-channels.ts";
