import type { Tool } from "../contract/tool.ts";
import type { DelegationConfig } from "../turns/index.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { awaitSubtasks } from "./tools/await-subtasks.ts";
import { controlTools } from "./tools/control-tools.ts";
import { spawnTools } from "./tools/spawn-tools.ts";
import { ownerTools } from "./tools/workspace-tools.ts";

/** The tools of whoever may delegate (S1); those to report with are the subagent's own. */
export const delegationTools = (parts: SubtaskParts, agent: string, limits: DelegationConfig): Tool[] => [
  ...spawnTools(parts, limits),
  awaitSubtasks(parts, limits),
  ...controlTools(parts, limits),
  ...workspaceTools(parts, agent),
];

const workspaceTools = (parts: SubtaskParts, agent: string): Tool[] => {
  const workspaces = parts.workspaces.get(agent);
  return workspaces === undefined ? [] : ownerTools(parts, workspaces);
};
