import { AppError } from "../contract/app-error.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { ToolContext } from "../contract/tool.ts";
import type { PeeringConfig } from "../turns/index.ts";
import { changeCall } from "./change-call.ts";
import { consult } from "./consult.ts";
import type { PeerCall } from "./peer-call.ts";
import { comesLater, openQuestion, readCall } from "./peer-call.ts";
import type { Peer } from "./peer-directory.ts";
import type { PeerParts } from "./peer-parts.ts";
import { tellCaller } from "./settle-call.ts";
import { wordsOf } from "./words-of-peer.ts";

interface Answer {
  readonly peer: Peer;
  readonly task: string;
  readonly message: string;
  readonly mode: PeerCall["mode"];
}

/** Answers what a remote agent wanted to know before it goes on (A9). The same tool call is the same answer. */
export const answerQuestion = async (
  parts: PeerParts,
  peering: PeeringConfig,
  context: ToolContext,
  { peer, task, message, mode }: Answer,
): Promise<string> => {
  const { tenant, agent, idempotencyKey: key } = context;
  const address = { tenant, agent, id: task };
  const known = /^call-[0-9a-f]{12}$/.test(task) ? await readCall(parts.store, address) : undefined;
  // Somebody else's is as good as none.
  if (known?.peer !== peer.name || known.asker.personId !== context.asker.personId) {
    throw new AppError("not-found", `You have no task "${task.slice(0, 60)}" with ${peer.name}. Leave task out.`);
  }
  const call = await changeCall(parts, address, (is) => {
    // By now it may ask something else, which this is no answer to.
    const isGiven = is.remote?.answers.some((answer) => answer.key === key);
    if (is.remote === undefined || isGiven || openQuestion(is) === undefined) return is;
    const { question: _, ...remote } = is.remote;
    return { ...is, remote: { ...remote, answers: [...remote.answers, { key, text: message }] } };
  });
  if (call !== undefined && call.state !== "open") {
    // As in a consultation: whoever closed it may not have come to count it.
    if (!comesLater(call)) await tellCaller(parts, call);
    return wordsOf(call, call.state === "answered" ? "result" : "error");
  }
  const round = call?.remote?.answers.findIndex((answer) => answer.key === key) ?? -1;
  if (call === undefined || round < 0) throw new AppError("conflict", `${peer.name} is not waiting for an answer.`);
  await parts.checkpoint("answer.stored");
  const id = `${call.id}/answer/${round}`;
  // A key of its own: the bus holds it for a while, and hints must not wait behind it.
  await parts.bus.publish(subjectsOf(tenant).peerEvent(agent), address, { id, key: id });
  if (mode === "consult" && call.mode === "consult") return consult(parts, peering, context, call);
  return `${peer.name} has your answer and goes on. What comes of it reaches you in a later turn.`;
};
