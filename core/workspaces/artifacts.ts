import { messageOf } from "../contract/app-error.ts";
import type { Artifacts, Subtask, SubtaskResult } from "../contract/messages/subtask.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { Workspaces } from "./workspaces.ts";

/** "3 files changed, +45 −12", for people and models. */
export const describeChanges = ({ files, insertions, deletions }: Artifacts): string =>
  `${files} ${files === 1 ? "file" : "files"} changed, +${insertions} −${deletions}`;

/** Adds the changes in the workspace to the result. A failure of git does not affect the result itself. */
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
    logger.warn({ subtask: subtask.id, error: messageOf(error) }, "could not read workspace changes");
    return result;
  }
};
