import type { ReplyAction } from "../contract/agent-reply.ts";
import type { Subtask } from "../contract/subtask.ts";
import { cutAtGraphemes } from "../lib/index.ts";

/** Short enough for a button on every platform. */
const NAME_CHARS = 40;

const action =
  (name: string, verb: string) =>
  (subtask: Pick<Subtask, "id" | "name">): ReplyAction => ({
    name,
    label: `${verb} “${cutAtGraphemes(subtask.name, NAME_CHARS)}”`,
    value: subtask.id,
  });

/** What ends a piece of work, wherever it is offered. */
export const cancelAction = action("cancel", "Cancel");

/** What can be done with what it has changed in its workspace (S12). */
export const changeActions = [action("diff", "Show"), action("merge", "Merge"), action("discard", "Discard")] as const;
