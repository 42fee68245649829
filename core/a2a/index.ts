export { delegatedCalls } from "./calls/delegated-calls.ts";
export { SEND_MESSAGE } from "./calls/send-message-tool.ts";
export { probePeer, RemoteAgents } from "./client/remote-agents.ts";
export type { PeerDeps } from "./deps.ts";
export {
  acceptedPushTokens,
  agentAddress,
  type DeploymentIdentity,
  type IdentityKeys,
  loadIdentity,
} from "./identity.ts";
export { PeerDirectory } from "./peer-directory.ts";
export { peerTurns } from "./peer-turns.ts";
export { incomingChain, REPLY_ORIGIN_EXTENSION } from "./record/hops.ts";
export {
  type PeerCall,
  peerSessionOf,
  readCall,
  readCallsOfTools,
  turnsAfterCall,
  unreachableNote,
} from "./record/peer-call.ts";
export { startPeers } from "./start.ts";
export { type ConfiguredTenants, TenantSettings } from "./tenant-settings.ts";
