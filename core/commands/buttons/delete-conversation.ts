import { sameConversation } from "../../contract/messages/conversation.ts";
import type { Texts } from "../../contract/texts/texts.ts";
import { deleteFilesOf } from "../../files/received/index.ts";
import { WorkingMemory } from "../../memory/index.ts";
import { deleteSession, earlierSessions, forgetSessions, startSession } from "../../sessions/index.ts";
import { cancelSubtask, openWorkFor } from "../../subtasks/index.ts";
import { deleteTurn } from "../../turns/record/index.ts";
import { type Command, type CommandAnswer, type CommandCall, callerOf } from "../command.ts";

/**
 * Deletes the sessions of a private conversation: history, summaries, notes, files and the records of its turns (C5).
 * Its work is cancelled; schedules and lasting memory stay. A person who types it confirms it first; clients that have
 * asked and delete their copy too send the confirmation with it.
 */
export const deleteConversation: Command = {
  name: "delete-conversation",
  needs: "talk",
  privately: true,
  inOrder: true,
  async run(call) {
    const { deps, message, record, args, texts } = call;
    const { store, clock } = deps;
    if (message.conversation.kind !== "private") return { markdown: texts.conversation.shared };
    if (args !== CONFIRMED) return question(texts);
    await cancelWork(call);
    const options = { after: record.sessionId, messageId: message.id, now: clock.now() };
    const sessionId = await startSession(store, message, options);
    const deleted = await earlierSessions(store, message);
    for (const earlier of deleted) {
      await deleteFilesOf(store, earlier);
      await new WorkingMemory(store, clock, earlier).deleteAll();
      await deleteSession(store, deps.history, earlier, (turnId) => deleteTurn(store, message, turnId));
    }
    await forgetSessions(store, message, deleted);
    return { sessionId, markdown: texts.conversation.deleted };
  },
};

const CONFIRMED = "confirm";

const question = ({ conversation }: Texts): CommandAnswer => ({
  markdown: conversation.confirmDeletion,
  actions: [{ name: "delete-conversation", label: conversation.deleteIt, value: CONFIRMED }],
});

/** The work that began in this conversation; that of the person's other conversations continues. */
const cancelWork = async (call: CommandCall): Promise<void> => {
  const { deps, message } = call;
  const caller = await callerOf(call);
  const { subtasks, calls } = await openWorkFor(deps.store, message, {
    ...caller,
    owns: (audience) => sameConversation(audience.conversation, message.conversation) && caller.owns(audience),
  });
  await deps.calls.cancel(deps, message, calls, true);
  for (const subtask of subtasks)
    await cancelSubtask(deps, subtask, "the person has deleted the conversation that asked for it", true);
};
