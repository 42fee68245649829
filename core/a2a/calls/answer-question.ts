import { AppError } from "../../contract/app-error.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import type { ToolContext } from "../../contract/tool.ts";
import type { PeeringConfig } from "../../turns/limits/index.ts";
import type { PeerDeps } from "../deps.ts";
import type { Peer } from "../peer-directory.ts";
import { changeCall, comesLater, openQuestion, type PeerCall, readCall } from "../record/peer-call.ts";
import { updateText } from "../record/peer-update.ts";
import { consult } from "./consult.ts";
import { notifyCaller } from "./settle-call.ts";

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
): Promise<string> => {
  const { tenant, agent, idempotencyKey: key } = context;
  const address = { tenant, agent, id: task };
  const known = /^call-[0-9a-f]{12}$/.test(task) ? await readCall(deps.store, address) : undefined;
  // Another person's task is reported as unknown, so that its existence does not leak.
  if (known?.peer !== peer.name || known.asker.personId !== context.asker.personId) {
    throw new AppError("not-found", `You have no task "${task.slice(0, 60)}" with ${peer.name}. Leave task out.`);
  }
  const call = await changeCall(deps, address, (open) => {
    // Without an open question this answer came too late and is not stored.
    const isGiven = open.remote?.answers.some((answer) => answer.key === key);
    if (open.remote === undefined || isGiven || openQuestion(open) === undefined) return open;
    const { question: _, ...remote } = open.remote;
    return { ...open, remote: { ...remote, answers: [...remote.answers, { key, text: message }] } };
  });
  if (call !== undefined && call.state !== "open") {
    // As in a consultation: the process that ended the call may have crashed before it counted the end.
    if (!comesLater(call)) await notifyCaller(deps, call);
    return updateText(call, call.state === "answered" ? "result" : "error");
  }
  const round = call?.remote?.answers.findIndex((answer) => answer.key === key) ?? -1;
  if (call === undefined || round < 0) throw new AppError("conflict", `${peer.name} is not waiting for an answer.`);
  await deps.checkpoint("answer.stored");
  const id = `${call.id}/answer/${round}`;
  // A separate ordering key: the bus may hold this message for a retry, and hints must not wait behind it.
  await deps.bus.publish(subjectsOf(tenant).peerEvent(agent), address, { id, key: id });
  if (mode === "consult" && call.mode === "consult") return consult(deps, peering, context, call);
  return `${peer.name} has your answer and goes on. What comes of it reaches you in a later turn.`;
};
