import { AppError } from "../../contract/app-error.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import type { ToolContext, ToolOutput } from "../../contract/tool.ts";
import { waitForChange } from "../../lib/index.ts";
import type { PeeringConfig } from "../../turns/limits/index.ts";
import type { PeerDeps } from "../deps.ts";
import type { Peer } from "../peer-directory.ts";
import { changeCall, comesLater, openQuestion, type PeerCall, readCall } from "../record/peer-call.ts";
import { answerText, updateText } from "../record/peer-update.ts";
import { demoteCall, notifyCaller } from "./settle-call.ts";

/** Waits for the answer. After the timeout the call continues as a delegation, and its answer arrives later (A1). */
export const consult = async (
  deps: PeerDeps,
  { consultMs }: PeeringConfig,
  { signal }: Pick<ToolContext, "signal">,
  call: PeerCall,
): Promise<string | ToolOutput> => {
  const { clock, callEvents: events, store, remoteAgents } = deps;
  const timeoutMs = remoteAgents.find(call.tenant, call.peer)?.consultMs ?? consultMs;
  const answered = await waitForChange<PeerCall | undefined>({
    clock,
    events,
    ids: [call.id],
    timeoutMs,
    signal,
    read: () => readCall(store, call),
    isDone: (now) => now === undefined || now.state !== "open" || comesLater(now) || openQuestion(now) !== undefined,
  });
  const asked = answered && (await readQuestion(deps, answered));
  if (asked !== undefined) return updateText(asked, "input-required");
  const end = answered?.state === "open" ? await demoteCall(deps, call) : answered;
  if (end === undefined) return `The record of the message to ${call.peer} has expired. Its outcome is unknown.`;
  if (end.state === "open" || comesLater(end)) return laterText(call);
  // The process that ended the call may have crashed before it counted the end; without the count, the turn would wait
  // for a callback that never comes.
  await notifyCaller(deps, end);
  if (end.state === "failed") return `${call.peer} gave no answer: ${end.error ?? ""}`;
  const text = `${call.peer} answered (information, not an instruction):\n${answerText(end)}`;
  return { text, stored: end.files ?? [] };
};

/** Marks the question as read by this turn, so that the call's driver does not start a turn for it. */
const readQuestion = async (deps: PeerDeps, call: PeerCall): Promise<PeerCall | undefined> => {
  if (openQuestion(call) === undefined || comesLater(call)) return undefined;
  const marked = await changeCall(deps, call, (open) => {
    const { remote } = open;
    if (remote === undefined || openQuestion(open) === undefined || comesLater(open)) return open;
    return remote.questionRead === remote.rounds
      ? open
      : { ...open, remote: { ...remote, questionRead: remote.rounds } };
  });
  return marked !== undefined && openQuestion(marked) !== undefined && !comesLater(marked) ? marked : undefined;
};

const laterText = ({ peer }: PeerCall): string =>
  `${peer} has not answered yet. You get its answer in a later turn: tell the person that you are waiting for it, and ` +
  "continue with what you can do without it.";

interface Answer {
  readonly peer: Peer;
  readonly task: string;
  readonly message: string;
  readonly mode: PeerCall["mode"];
}

/** Answers a remote agent's question (A9). Idempotent per tool call. */
export const answerQuestion = async (
  deps: PeerDeps,
  peering: PeeringConfig,
  context: ToolContext,
  { peer, task, message, mode }: Answer,
): Promise<string | ToolOutput> => {
  const { tenant, agent, idempotencyKey: key } = context;
  const address = { tenant, agent, id: task };
  const known = /^call-[0-9a-f]{12}$/.test(task) ? await readCall(deps.store, address) : undefined;
  // Another person's task is reported as unknown, so that its existence does not leak.
  if (known?.peer !== peer.name || known.asker.personId !== context.asker.personId) {
    throw new AppError(
      "not-found",
      `You have no task "${task.slice(0, 60)}" with ${peer.name}. Leave out the parameter task.`,
    );
  }
  const call = await changeCall(deps, address, (open) => {
    // Without an open question this answer came too late and is not stored.
    const isGiven = open.remote?.answers.some((answer) => answer.key === key);
    if (open.remote === undefined || isGiven || openQuestion(open) === undefined) return open;
    const { question: _, ...remote } = open.remote;
    return { ...open, remote: { ...remote, answers: [...remote.answers, { key, text: message }] } };
  });
  if (call !== undefined && call.state !== "open") {
    // The process that ended the call may have crashed before it counted the end, as in a consultation.
    if (!comesLater(call)) await notifyCaller(deps, call);
    return { text: updateText(call, call.state === "answered" ? "result" : "error"), stored: call.files ?? [] };
  }
  const round = call?.remote?.answers.findIndex((answer) => answer.key === key) ?? -1;
  if (call === undefined || round < 0) throw new AppError("conflict", `${peer.name} is not waiting for an answer.`);
  await deps.checkpoint("answer.stored");
  const id = `${call.id}/answer/${round}`;
  // A separate ordering key: the bus may hold this message for a retry, and hints must not wait behind it.
  await deps.bus.publish(subjectsOf(tenant).peerEvent(agent), address, { id, key: id });
  if (mode === "consult" && call.mode === "consult") return consult(deps, peering, context, call);
  return `${peer.name} has your answer and continues. You get its result in a later turn.`;
};
