import type { Tool } from "../turns/tool.ts";
import type { DelegationConfig } from "./config.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { awaitSubtasks } from "./tools/await-subtasks.ts";
import { controlTools } from "./tools/control-tools.ts";
import { spawnTools } from "./tools/spawn-tools.ts";

/** The tools of whoever may delegate (S1); those to report with are the subagent's own. */
export const delegationTools = (parts: SubtaskParts, limits: DelegationConfig): Tool[] => [
  ...spawnTools(parts, limits),
  awaitSubtasks(parts, limits),
  ...controlTools(parts, limits),
];
