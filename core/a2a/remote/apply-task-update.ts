import { stableId } from "../../lib/index.ts";
import { wake } from "../../subtasks/index.ts";
import { questionMessage } from "../callback.ts";
import { changeCall } from "../change-call.ts";
import type { TaskNews } from "../client/task-news.ts";
import type { PeerCall } from "../peer-call.ts";
import { comesLater, openQuestion } from "../peer-call.ts";
import type { PeerParts } from "../peer-parts.ts";
import { redactAddresses } from "../redact-addresses.ts";
import { settleCall } from "../settle-call.ts";
import { tellSubtask } from "../tell-subtask.ts";
import { wordsFrom } from "../words-of-peer.ts";

const MOST_ROUNDS = 20;
const MOST_REPEATS = 3;
const MOST_SEEN = 50;
const NOTE_CHARS = 200;
const QUESTION_CHARS = 4_000;

/** What a remote agent says, once: an end closes the call, everything else leaves it open (L1). */
export const hearNews = async (parts: PeerParts, call: PeerCall, news: TaskNews): Promise<void> => {
  await parts.checkpoint("call.heard");
  if (news.taskId !== undefined && call.remote?.taskId === undefined) await noteTask(parts, call, news.taskId);
  if (call.mode === "notify") await settleCall(parts, call, { answer: "" });
  else if (news.state === "completed") await settleCall(parts, call, { answer: news.answer });
  else if (news.state === "failed") await hearFailure(parts, call, news);
  else if (news.state === "input-required") await hearQuestion(parts, call, news);
  else await hearProgress(parts, call, news);
};

/** Its reason may be meant for its own operators. */
const hearFailure = async (parts: PeerParts, call: PeerCall, { text, answer }: TaskNews): Promise<void> => {
  const reason = text || answer;
  await settleCall(parts, call, { error: redactAddresses(reason) || "It failed there.", detail: reason });
};

const noteTask = async (parts: PeerParts, call: PeerCall, taskId: string): Promise<void> => {
  await changeCall(parts, call, (is) =>
    is.remote === undefined || is.remote.taskId === taskId ? is : { ...is, remote: { ...is.remote, taskId } },
  );
  await parts.checkpoint("call.accepted");
};

/** Undefined: it was seen before, or the call is over. */
const onceNew = async (
  parts: PeerParts,
  call: PeerCall,
  { key }: TaskNews,
  change: (call: PeerCall, remote: NonNullable<PeerCall["remote"]>) => PeerCall,
): Promise<PeerCall | undefined> => {
  let isNew = false;
  const changed = await changeCall(parts, call, (is) => {
    isNew = is.remote !== undefined && !is.remote.seen.includes(key);
    if (is.remote === undefined || !isNew) return is;
    return change(is, { ...is.remote, seen: [...is.remote.seen, key].slice(-MOST_SEEN) });
  });
  return isNew && changed?.state === "open" ? changed : undefined;
};

const hearProgress = async (parts: PeerParts, call: PeerCall, news: TaskNews): Promise<void> => {
  const note = news.text.replace(/\s+/g, " ").trim().slice(0, NOTE_CHARS);
  const changed = await onceNew(parts, call, news, (is, remote) =>
    note === "" ? { ...is, remote } : { ...is, note, notes: is.notes + 1, remote },
  );
  if (changed === undefined || note === "") return;
  parts.activity.touch({ ...changed, owner: changed.standing.owner, parentTurnId: changed.turnId });
  if (comesLater(changed) && changed.standing.subtaskId !== undefined) {
    await tellSubtask(parts, changed, wordsFrom(changed, "status"));
  }
};

const hearQuestion = async (parts: PeerParts, call: PeerCall, news: TaskNews): Promise<void> => {
  const question = news.text.slice(0, QUESTION_CHARS) || "(it did not say what)";
  const questionId = stableId("question", question);
  await onceNew(parts, call, news, (is, remote) => {
    const asked = { ...remote.asked, [questionId]: (remote.asked[questionId] ?? 0) + 1 };
    return { ...is, remote: { ...remote, question, rounds: remote.rounds + 1, asked } };
  });
  const is = await changeCall(parts, call, (same) => same);
  // Also if it was seen before: the process may have crashed before it was passed on.
  if (is?.remote === undefined || openQuestion(is) === undefined) return;
  const { rounds, asked } = is.remote;
  if (rounds > MOST_ROUNDS || (asked[questionId] ?? 0) >= MOST_REPEATS) {
    const why = rounds > MOST_ROUNDS ? `asked more than ${MOST_ROUNDS} questions` : "asked the same again and again";
    await settleCall(parts, is, { error: `It was given up: ${is.peer} ${why}. The last one was: ${question}` });
    return;
  }
  // A consultation reads it from the record, and so has told it.
  if (!comesLater(is) || is.remote.questionRead === rounds) return;
  if (is.standing.subtaskId !== undefined) await tellSubtask(parts, is, wordsFrom(is, "input-required"));
  else await wake(parts, is, questionMessage(is, rounds, Date.parse(is.createdAt)));
};
