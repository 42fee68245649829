export { joinSources } from "./join-sources.ts";
export {
  completeSignIn,
  knownTools,
  type McpDeps,
  McpServers,
  type McpServersConfig,
  probeServer,
  type SignInTarget,
  signedInAt,
  signInTarget,
  signOut,
  startSignIn,
} from "./mcp/index.ts";
export { toolModuleOf } from "./modules/module-code.ts";
export { type AgentTools, type ListedTool, openTools, type ToolSettings } from "./tool-catalog.ts";
