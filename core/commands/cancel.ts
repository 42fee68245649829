import { AppError } from "../contract/app-error.ts";
import { sameConversation } from "../contract/conversation.ts";
import type { Subtask } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import { cancelAction, cancelSubtask, ownSubtask } from "../subtasks/index.ts";
import { callerOf } from "./caller-of.ts";
import type { Command, CommandAnswer, CommandCall } from "./command.ts";
import { stopAnswer } from "./stop-answer.ts";
import { workFor } from "./work-for.ts";

const ID = /^subtask-[0-9a-f]{8}$/;

export const cancel: Command = {
  name: "cancel",
  usage: "cancel <id>",
  summary:
    "end work that was begun for you and is still under way; without an id, shows what there is; " +
    "`cancel answer` stops the answer that I am writing here",
  privately: false,
  run: (call) => {
    if (call.args === "answer") return stopAnswer(call);
    return call.args === "" ? offer(call) : end(call);
  },
};

/** Where others read along, only what began in front of them is named. */
const offer = async (call: CommandCall): Promise<CommandAnswer> => {
  const { conversation } = call.message;
  const caller = await callerOf(call);
  const work = (await workFor(call, caller)).filter((subtask) => isTold(subtask, call));
  if (work.length === 0) {
    const where = conversation.kind === "shared" ? " in this conversation" : "";
    return { markdown: `Nothing of yours is under way${where}.` };
  }
  return {
    markdown: ["Which work should I end?", ...work.map(({ id, name }) => `- ${name} (\`${id}\`)`)].join("\n"),
    actions: work.map(cancelAction),
  };
};

/** Only who asked for the work may end it (I3). */
const end = async (call: CommandCall): Promise<CommandAnswer> => {
  const { parts, message, args: id } = call;
  if (!ID.test(id)) {
    return { markdown: "An id looks like `subtask-1a2b3c4d`. Write `cancel` alone to see what can be cancelled." };
  }
  const { tenant, agent } = message;
  try {
    const writer = { ...message, accountId: message.account.id };
    const subtask = await ownSubtask(parts, { tenant, agent, id }, { writer });
    const name = isTold(subtask, call) ? `"${subtask.name}"` : id;
    if (hasEnded(subtask)) return { markdown: `${name} has ended already: ${subtask.status}.` };
    const ended = await cancelSubtask(parts, subtask, "the person who asked for it no longer wants it");
    return { markdown: ended?.status === "cancelled" ? `${name} is cancelled.` : `${name} ended just before.` };
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== "not-found" && error.code !== "forbidden")) throw error;
    return { markdown: error.message };
  }
};

const isTold = ({ audience }: Subtask, { message: { conversation } }: CommandCall): boolean =>
  conversation.kind === "private" || sameConversation(audience.conversation, conversation);
