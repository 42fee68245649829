import type { UserMessage } from "../../contract/user-message.ts";
import { fitEntry, nextIndex, type SessionHistory } from "../../sessions/index.ts";
import { type CoreParts, type RecordedTurn, sessionTtl } from "../../turns/index.ts";
import { readTask } from "./inbound-task.ts";
import { taskOfMessage } from "./task-of-turn.ts";

/**
 * A turn and its task are ended at the same time. If of the two only the task was stored, its caller has had the answer:
 * it is not asked for again, but the session has to know of it. What the turn did on the way there is lost.
 */
export const backfillHistory = async (
  { store, history }: Pick<CoreParts, "store"> & { readonly history: SessionHistory },
  message: UserMessage,
  text: string,
  { record, window }: RecordedTurn,
): Promise<void> => {
  const address = taskOfMessage(message);
  const task = address && (await readTask(store, address));
  // One that was cancelled, or that another turn has ended, says nothing of this one.
  if (!task?.ended.includes(message.id)) return;
  const { turnId, sessionId } = record;
  const said = {
    outcome: task.state === "failed" ? "failed" : "answered",
    finalText: task.answer ?? task.note ?? "",
  } as const;
  const entry = fitEntry({ kind: "turn", turnId, at: task.statusAt, text, ...said, messages: [] });
  await history.append(sessionId, nextIndex(window), entry, sessionTtl(record));
};
