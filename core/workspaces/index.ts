export type { WorkspaceConfig } from "./config.ts";
export { describeChanges, type WorkspaceOptions, Workspaces, withArtifacts } from "./workspaces.ts";
