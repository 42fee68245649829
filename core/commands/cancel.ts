import { AppError } from "../contract/app-error.ts";
import { sameConversation } from "../contract/messages/conversation.ts";
import { hasEnded, type Subtask } from "../contract/messages/subtask.ts";
import { errorText } from "../contract/texts/told-error.ts";
import { cancelAction, cancelSubtask, openWorkFor, ownSubtask } from "../subtasks/index.ts";
import { type Command, type CommandAnswer, type CommandCall, callerOf, workFor } from "./command.ts";

const ID = /^subtask-[0-9a-f]{8}$/;

export const cancel: Command = {
  name: "cancel",
  needs: "talk",
  argument: "id",
  usage: "cancel [id | answer | all]",
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
  const texts = call.texts.cancel;
  const caller = await callerOf(call);
  const work = (await workFor(call, caller)).filter((subtask) => mayName(subtask, call));
  if (work.length === 0) {
    return { markdown: conversation.kind === "shared" ? texts.nothingHere : texts.nothing };
  }
  return {
    markdown: [texts.question, ...work.map(({ id, name }) => `- ${name} (\`${id}\`)`), "", texts.all].join("\n"),
    actions: work.map((subtask) => cancelAction(subtask, call.texts)),
  };
};

/** Ends all running work of the caller, whichever of their accounts asked for it; schedules stay (I3). */
const cancelAll = async (call: CommandCall): Promise<CommandAnswer> => {
  const { deps, message } = call;
  const texts = call.texts.cancel;
  const caller = await callerOf(call);
  const running = await deps.turns.of(message, [...caller.accounts], message.id);
  const turns = running.filter(({ audience }) => caller.owns(audience));
  deps.turns.stop(message, turns);
  const { subtasks: work, calls } = await openWorkFor(deps.store, message, caller);
  await deps.calls.cancel(deps, message, calls, true);
  for (const subtask of work)
    await cancelSubtask(deps, subtask, "the person who asked for it has cancelled everything", true);
  const ended = [
    ...(turns.length === 0 ? [] : [texts.answers(turns.length)]),
    ...(work.length === 0 ? [] : [texts.work(work.length)]),
    ...(calls.length === 0 ? [] : [texts.calls(calls.length)]),
  ];
  const what = ended.length === 0 ? texts.nothing : texts.ended(ended.join(", "));
  return { markdown: `${what} ${texts.schedulesStay}` };
};

/** Only the asker may cancel work (I3). */
const cancelById = async (call: CommandCall): Promise<CommandAnswer> => {
  const { deps, message, args: id } = call;
  const texts = call.texts.cancel;
  if (!ID.test(id)) return { markdown: texts.badId };
  const { tenant, agent } = message;
  try {
    const writer = { ...message, accountId: message.account.id };
    const subtask = await ownSubtask(deps, { tenant, agent, id }, { writer });
    const name = mayName(subtask, call) ? texts.quoted(subtask.name) : id;
    if (hasEnded(subtask)) return { markdown: texts.alreadyEnded(name, call.texts.outcomes[subtask.status]) };
    const ended = await cancelSubtask(deps, subtask, "the person who asked for it has cancelled it", true);
    return { markdown: ended?.status === "cancelled" ? texts.cancelled(name) : texts.endedItself(name) };
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== "not-found" && error.code !== "forbidden")) throw error;
    return { markdown: errorText(error, call.texts) };
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
  if (own.length === 0) return { markdown: call.texts.cancel.noAnswer };
  deps.turns.stop(message, own);
  return { markdown: call.texts.cancel.stopped };
};
