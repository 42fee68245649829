export { describeChanges, withArtifacts } from "./artifacts.ts";
export type { WorkspaceConfig } from "./config.ts";
export { fileTools } from "./file-tools.ts";
export { type WorkspaceOptions, Workspaces } from "./workspaces.ts";
