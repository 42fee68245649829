import { storeReceived } from "../../files/index.ts";
import { stableId } from "../../lib/index.ts";
import { enqueueTurn } from "../../subtasks/index.ts";
import { questionMessage } from "../calls/callback-turn.ts";
import { notifySubtask } from "../calls/fold-back.ts";
import { settleCall } from "../calls/settle-call.ts";
import type { TaskUpdate } from "../client/task-update.ts";
import type { PeerDeps } from "../deps.ts";
import { changeCall, comesLater, openQuestion, type PeerCall } from "../record/peer-call.ts";
import { updateFrom } from "../record/peer-update.ts";
import { redactAddresses } from "../record/redact.ts";
import { cancelRemoteTask } from "./cancel-remote-task.ts";

const MAX_ROUNDS = 20;
const MAX_REPEATS = 3;
const MAX_SEEN = 50;
const MAX_NOTE_CHARS = 200;
const MAX_QUESTION_CHARS = 4_000;

/** Applies an update once: a final state ends the call, any other leaves it open (L1). */
export const applyTaskUpdate = async (deps: PeerDeps, call: PeerCall, update: TaskUpdate): Promise<void> => {
  await deps.checkpoint("call.updated");
  if (update.taskId !== undefined && call.remote?.taskId === undefined) await saveTaskId(deps, call, update.taskId);
  if (call.mode === "notify") await settleCall(deps, call, { answer: "" });
  else if (update.state === "completed") await applyAnswer(deps, call, update);
  else if (update.state === "failed") await applyFailure(deps, call, update);
  else if (update.state === "input-required") await applyQuestion(deps, call, update);
  else await applyProgress(deps, call, update);
};

/** The files are stored before the call ends; a repeat replaces them. */
const applyAnswer = async (deps: PeerDeps, call: PeerCall, { answer, files = [] }: TaskUpdate): Promise<void> =>
  settleCall(deps, call, { answer, files: await storeReceived(deps, call.id, files) });

/** The reason may contain details for the remote operators, so people see a redacted one. */
const applyFailure = async (deps: PeerDeps, call: PeerCall, { text, answer }: TaskUpdate): Promise<void> => {
  const reason = text || answer;
  await settleCall(deps, call, { error: redactAddresses(reason) || "The agent gave no reason.", detail: reason });
};

const saveTaskId = async (deps: PeerDeps, call: PeerCall, taskId: string): Promise<void> => {
  const after = await changeCall(deps, call, (current) =>
    current.remote === undefined || current.remote.taskId === taskId
      ? current
      : { ...current, remote: { ...current.remote, taskId } },
  );
  await deps.checkpoint("call.accepted");
  // The call was cancelled while its first request was under way, when no task id was known.
  if (after?.cancelledAt !== undefined && after.remote !== undefined && after.remote.taskId === undefined) {
    await cancelRemoteTask(deps, { ...after, remote: { ...after.remote, taskId } });
  }
};

/** Applies the change unless the update is a duplicate or the call has ended; then undefined. */
const unlessDuplicate = async (
  deps: PeerDeps,
  call: PeerCall,
  { key }: TaskUpdate,
  change: (call: PeerCall, remote: NonNullable<PeerCall["remote"]>) => PeerCall,
): Promise<PeerCall | undefined> => {
  let isNew = false;
  const changed = await changeCall(deps, call, (current) => {
    isNew = current.remote !== undefined && !current.remote.seen.includes(key);
    if (current.remote === undefined || !isNew) return current;
    return change(current, { ...current.remote, seen: [...current.remote.seen, key].slice(-MAX_SEEN) });
  });
  return isNew && changed?.state === "open" ? changed : undefined;
};

const applyProgress = async (deps: PeerDeps, call: PeerCall, update: TaskUpdate): Promise<void> => {
  const note = update.text.replace(/\s+/g, " ").trim().slice(0, MAX_NOTE_CHARS);
  const changed = await unlessDuplicate(deps, call, update, (current, remote) =>
    note === "" ? { ...current, remote } : { ...current, note, notes: current.notes + 1, remote },
  );
  if (changed === undefined || note === "") return;
  deps.activity.touch({ ...changed, owner: changed.standing.owner, parentTurnId: changed.turnId });
  if (comesLater(changed) && changed.standing.subtaskId !== undefined) {
    await notifySubtask(deps, changed, updateFrom(changed, "status"));
  }
};

const applyQuestion = async (deps: PeerDeps, call: PeerCall, update: TaskUpdate): Promise<void> => {
  const question = update.text.slice(0, MAX_QUESTION_CHARS) || "(a question without text)";
  const questionId = stableId("question", question);
  await unlessDuplicate(deps, call, update, (current, remote) => {
    const asked = { ...remote.asked, [questionId]: (remote.asked[questionId] ?? 0) + 1 };
    return { ...current, remote: { ...remote, question, rounds: remote.rounds + 1, asked } };
  });
  const current = await changeCall(deps, call, (same) => same);
  // Also for a duplicate: the process may have crashed before it passed the question on.
  if (current?.remote === undefined || openQuestion(current) === undefined) return;
  const { rounds, asked } = current.remote;
  if (rounds > MAX_ROUNDS || (asked[questionId] ?? 0) >= MAX_REPEATS) {
    const why =
      rounds > MAX_ROUNDS ? `asked more than ${MAX_ROUNDS} questions` : `asked the same question ${MAX_REPEATS} times`;
    await settleCall(deps, current, {
      error: `The task was stopped, because ${current.peer} ${why}. The last one was: ${question}`,
    });
    return;
  }
  // A consultation reads the question from the record.
  if (!comesLater(current) || current.remote.questionRead === rounds) return;
  if (current.standing.subtaskId !== undefined)
    await notifySubtask(deps, current, updateFrom(current, "input-required"));
  else await enqueueTurn(deps, current, questionMessage(current, rounds, Date.parse(current.createdAt)));
};
