export { describeChanges, withArtifacts } from "./artifacts.ts";
export type { WorkspaceConfig } from "./config.ts";
export { type WorkspaceOptions, Workspaces } from "./workspaces.ts";
