import type { ReplyAction } from "../contract/agent-reply.ts";
import type { Subtask } from "../contract/subtask.ts";
import { cutAtGraphemes } from "../origin/summarise-prompt.ts";

/** Short enough for a button on every platform. */
const NAME_CHARS = 40;

/** What ends a piece of work, wherever it is offered. */
export const cancelAction = ({ id, name }: Pick<Subtask, "id" | "name">): ReplyAction => ({
  name: "cancel",
  label: `Cancel “${cutAtGraphemes(name, NAME_CHARS)}”`,
  value: id,
});
