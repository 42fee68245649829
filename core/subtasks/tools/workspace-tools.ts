import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import { hasEnded, type Subtask } from "../../contract/messages/subtask.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { cutToBytes } from "../../lib/index.ts";
import { describeChanges, type Workspaces } from "../../workspaces/index.ts";
import type { SubtaskDeps } from "../deps.ts";
import { actorOf, askerOf, ownSubtask } from "../record/subtask-access.ts";

const DIFF_BYTES = 60_000;

const id = z.string().describe("The id of the subtask.");
const One = z.object({ id });
const Diff = z.object({ id, file: z.string().max(1_000).optional().describe("Only this file.") });

/** Tools for the changes that a subtask made in its workspace (S12). */
export const workspaceTools = (deps: SubtaskDeps, workspaces: Workspaces): Tool[] => {
  const ended = async (context: ToolContext, subtaskId: string, actor = actorOf(context)): Promise<Subtask> => {
    const { tenant, agent } = context;
    const subtask = await ownSubtask(deps, { tenant, agent, id: subtaskId }, actor);
    if (hasEnded(subtask)) return subtask;
    throw new AppError("conflict", `${subtaskId} is still working. Wait for its end, or cancel it first.`);
  };
  const list: Tool<z.infer<typeof One>> = {
    name: "list_changed_files",
    description:
      "Lists the files that a subtask has changed in its workspace. Only a person can merge the changes: with the button " +
      "Merge, or with `/merge` and the id.",
    input: One,
    needs: "workspace",
    repeatable: true,
    run: async (input, context) => {
      const changes = await workspaces.changes(await ended(context, input.id));
      return [`${describeChanges(changes)}, on branch ${changes.branch}`, ...changes.changed].join("\n");
    },
  };
  const diff: Tool<z.infer<typeof Diff>> = {
    name: "show_diff",
    description: "Shows the changes of a subtask in its workspace, as a diff.",
    input: Diff,
    needs: "workspace",
    repeatable: true,
    run: async ({ id: subtaskId, file }, context) => {
      const text = await workspaces.diff(await ended(context, subtaskId), file);
      return cutToBytes(text, DIFF_BYTES) || "Nothing was changed.";
    },
  };
  const discard: Tool<z.infer<typeof One>> = {
    name: "discard_workspace",
    description: "Deletes the changes of a subtask. This cannot be undone.",
    input: One,
    needs: "workspace",
    repeatable: true,
    run: async (input, context) => {
      await workspaces.discard(await ended(context, input.id, askerOf(context)));
      return "Discarded.";
    },
  };
  return [list, diff, discard];
};
