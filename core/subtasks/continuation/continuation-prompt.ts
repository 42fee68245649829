import type { Subtask } from "../../contract/messages/subtask.ts";
import type { SyntheticMessageOf } from "../../contract/messages/user-message.ts";
import type { Store } from "../../contract/ports/store.ts";
import { NOTHING_TO_SAY } from "../../turns/index.ts";
import type { TurnPrompt } from "../../turns/source/index.ts";
import { readOwner } from "../owner/owner-record.ts";
import { readSubtask, recallSubtask, undefinedIfCorrupt } from "../record/subtask-record.ts";
import { type Reported, showResults } from "./show-results.ts";

/** Built when the turn runs. A retry gets the same text, because ended subtasks never change. */
export const resultsPrompt = async (
  store: Store,
  message: SyntheticMessageOf<"synthesis" | "amendment">,
): Promise<TurnPrompt> => {
  const { type, origin, data } = message.synthetic;
  const reported = await Promise.all(
    data.subtasks.map(async (listed): Promise<Reported> => {
      const subtask = await undefinedIfCorrupt(recallSubtask(store, { ...message, id: listed.id }));
      return { ...listed, subtask };
    }),
  );
  const results = showResults(reported);
  const text = [type === "amendment" ? LATE : TOGETHER, `What was asked: ${origin.promptSummary}`, results];
  return { text: text.join("\n\n"), fallbackText: results, mustReply: true, obsolete: false };
};

/** A turn about the message of one subtask. */
export const wakeUpPrompt = async (store: Store, message: SyntheticMessageOf<"wake-up">): Promise<TurnPrompt> => {
  const { type, priority, subtask: id, name, content } = message.synthetic.data;
  const subtask = await readSubtask(store, { ...message, id });
  if (type === "completion") {
    const result = showResults([{ id, name, timedOut: false, subtask }]);
    const obsolete = subtask !== undefined && (await wasReturned(store, subtask));
    return { text: `${ALONE}\n\n${result}`, fallbackText: result, mustReply: true, obsolete };
  }
  const isOpen = subtask?.status === "running" && subtask.question !== undefined;
  return {
    text: `${messageHeading({ type, priority, id, name })}\n${content}\n\n${type === "error" ? TROUBLED : ASKED}`,
    fallbackText: `**${name}**: ${content}`,
    mustReply: false,
    obsolete: type !== "error" && !isOpen,
  };
};

/** True if a tool call returned the result while this turn was queued: the owner must not get it twice. */
const wasReturned = async (store: Store, { tenant, agent, owner, parentTurnId, id }: Subtask): Promise<boolean> => {
  const { batches } = await readOwner(store, { tenant, agent, ownerId: owner.ownerId });
  return batches[parentTurnId]?.members.some((member) => member.id === id && member.awaitedBy !== undefined) ?? false;
};

const TOGETHER =
  "[results of delegated work] Everything you delegated has come back. Write the one answer to what was asked, " +
  "from these results. Say what is missing or failed. Do not mention subtasks or their ids.";
const LATE =
  "[late results of delegated work] These came after you had answered. Tell in a few words what they add to your " +
  "answer or change in it. Do not repeat what you said.";
const ALONE = "[result of delegated work] Tell the person what came of it.";
const ASKED =
  "If you know the answer, give it with message_subtask (type answer). Otherwise ask the person; their answer comes " +
  "as their next message.";
const TROUBLED = `It goes on if it can. Tell the person if they should know, or call ${NOTHING_TO_SAY}.`;

interface Heading {
  readonly type: string;
  readonly priority?: string | undefined;
  readonly id: string;
  readonly name: string;
}

/** First line of a subtask message in the prompt of its owner (S6). */
export const messageHeading = ({ type, priority = "normal", id, name }: Heading): string =>
  `[${type} from ${id} "${name}"${priority === "normal" ? "" : `, priority ${priority}`}]`;
