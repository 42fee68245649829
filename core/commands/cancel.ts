import { AppError } from "../contract/app-error.ts";
import { sameConversation } from "../contract/messages/conversation.ts";
import { hasEnded, type Subtask } from "../contract/messages/subtask.ts";
import { cancelAction, cancelSubtask, openWorkFor, ownSubtask } from "../subtasks/index.ts";
import { type Command, type CommandAnswer, type CommandCall, callerOf, workFor } from "./command.ts";

const ID = /^subtask-[0-9a-f]{8}$/;

export const cancel: Command = {
  name: "cancel",
  needs: "talk",
  menu: {
    description: "Cancel running work",
    argument: { name: "id", description: "The id that status shows, answer, or all" },
  },
  usage: "cancel [id | answer | all]",
  summary:
    "cancel work; `/cancel answer` stops the answer I am writing, `/cancel all` ends all that I do for you now, not schedules",
  privately: false,
  run: (call) => {
    if (call.args === "answer") return stopAnswer(call);
    if (call.args === "all") return cancelAll(call);
    return call.args === "" ? offer(call) : cancelById(call);
  },
};

/** A shared conversation lists only the work that began there. */
const offer = async (call: CommandCall): Promise<CommandAnswer> => {
  const { conversation } = call.message;
  const caller = await callerOf(call);
  const work = (await workFor(call, caller)).filter((subtask) => mayName(subtask, call));
  if (work.length === 0) {
    const where = conversation.kind === "shared" ? " in this conversation" : "";
    return { markdown: `I am not working on anything for you${where}.` };
  }
  return {
    markdown: ["What should I cancel?", ...work.map(({ id, name }) => `- ${name} (\`${id}\`)`), ALL].join("\n"),
    actions: work.map(cancelAction),
  };
};

const ALL =
  "\n`/cancel all` ends all of it, on all your channels: answers, work and calls to other agents. Schedules stay.";

/** Ends all running work of the caller, whichever of their accounts asked for it; schedules stay (I3). */
const cancelAll = async (call: CommandCall): Promise<CommandAnswer> => {
  const { deps, message } = call;
  const caller = await callerOf(call);
  const running = await deps.turns.of(message, [...caller.accounts], message.id);
  const turns = running.filter(({ audience }) => caller.owns(audience));
  deps.turns.stop(message, turns);
  const { subtasks: work, calls } = await openWorkFor(deps.store, message, caller);
  await deps.calls.cancel(deps, message, calls, true);
  for (const subtask of work)
    await cancelSubtask(deps, subtask, "the person who asked for it has cancelled everything", true);
  const ended = [
    ...counted(turns.length, "answer"),
    ...counted(work.length, "piece of work", "pieces of work"),
    ...counted(calls.length, "call to another agent", "calls to other agents"),
  ];
  const what = ended.length === 0 ? "I am not working on anything for you." : `I ended ${ended.join(", ")}.`;
  return { markdown: `${what} Schedules and reminders stay: \`/schedules\` lists them.` };
};

const counted = (count: number, one: string, many = `${one}s`): string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];

/** Only the asker may cancel work (I3). */
const cancelById = async (call: CommandCall): Promise<CommandAnswer> => {
  const { deps, message, args: id } = call;
  if (!ID.test(id)) {
    return { markdown: "An id looks like `subtask-1a2b3c4d`. `/cancel` lists what you can cancel." };
  }
  const { tenant, agent } = message;
  try {
    const writer = { ...message, accountId: message.account.id };
    const subtask = await ownSubtask(deps, { tenant, agent, id }, { writer });
    const name = mayName(subtask, call) ? `"${subtask.name}"` : id;
    if (hasEnded(subtask)) return { markdown: `${name} has already ended: ${subtask.status}.` };
    const ended = await cancelSubtask(deps, subtask, "the person who asked for it has cancelled it", true);
    return { markdown: ended?.status === "cancelled" ? `${name} is cancelled.` : `${name} has just ended by itself.` };
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== "not-found" && error.code !== "forbidden")) throw error;
    return { markdown: error.message };
  }
};

const mayName = ({ audience }: Subtask, { message: { conversation } }: CommandCall): boolean =>
  conversation.kind === "private" || sameConversation(audience.conversation, conversation);

/** Stops the caller's running answers in this conversation; delegated work continues. */
const stopAnswer = async (call: CommandCall): Promise<CommandAnswer> => {
  const { deps, message } = call;
  const caller = await callerOf(call);
  const running = await deps.turns.of(message, [...caller.accounts], message.id);
  const own = running.filter(
    ({ audience }) => sameConversation(audience.conversation, message.conversation) && caller.owns(audience),
  );
  if (own.length === 0) return { markdown: "I am not writing an answer for you here right now." };
  deps.turns.stop(message, own);
  return { markdown: "Okay, I stopped." };
};
