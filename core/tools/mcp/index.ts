export { type SignInTarget, signInTarget } from "./client/grant-record.ts";
export { completeSignIn, signedInAt, signOut, startSignIn } from "./client/sign-in.ts";
export type { McpServersConfig } from "./config.ts";
export { type McpDeps, McpServers } from "./mcp-servers.ts";
export { knownTools, probeServer } from "./probe-server.ts";
