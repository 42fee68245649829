export type { WorkspaceConfig } from "./config.ts";
export { describeChanges } from "./describe-changes.ts";
export { fileTools } from "./file-tools.ts";
export { withArtifacts } from "./with-artifacts.ts";
export { type WorkspaceOptions, Workspaces } from "./workspaces.ts";
