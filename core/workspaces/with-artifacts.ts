import { messageOf } from "../contract/app-error.ts";
import type { Logger } from "../contract/logger.ts";
import type { Subtask, SubtaskResult } from "../contract/subtask.ts";
import type { Workspaces } from "./workspaces.ts";

/** The result of a subtask with what it has changed. Trouble with git takes nothing from the result itself. */
export const withArtifacts = async (
  { logger }: { logger: Logger },
  workspaces: Workspaces,
  subtask: Pick<Subtask, "id" | "name" | "workspace">,
  result: SubtaskResult,
): Promise<SubtaskResult> => {
  try {
    const artifacts = await workspaces.close(subtask);
    return artifacts === undefined ? result : { ...result, artifacts };
  } catch (error) {
    logger.warn({ subtask: subtask.id, error: messageOf(error) }, "changes of a workspace not read");
    return result;
  }
};
