import { AppError } from "../../contract/app-error.ts";
import { traceHeaders } from "../../lib/index.ts";
import { peerCallSpanId } from "../../telemetry/index.ts";
import type { OutgoingMessage, PeerClient } from "../client/peer-client.ts";
import type { TaskUpdate } from "../client/task-update.ts";
import type { PeerDeps } from "../deps.ts";
import { withExtension } from "../record/hops.ts";
import { changeCall, type RemoteCall } from "../record/peer-call.ts";

type MessageDeps = Pick<PeerDeps, "remoteAgents" | "tracer">;

/** The first message of a call, with the chain for hop counts (A4). */
export const firstMessage = (deps: MessageDeps, call: RemoteCall): OutgoingMessage =>
  messageOf(deps, call, call.id, call.message);

/** Our answer to a question of the remote agent. */
const answerMessage = (deps: MessageDeps, call: RemoteCall, nth: number): OutgoingMessage =>
  messageOf(deps, call, `${call.id}-${nth + 1}`, call.remote.answers[nth]?.text ?? "");

/** Only a trusted peer gets more than the agent's text and the hop counts that stop loops (R7). */
const messageOf = (deps: MessageDeps, call: RemoteCall, messageId: string, text: string): OutgoingMessage => {
  const { remote, chain, mode } = call;
  const { contextId, taskId = "" } = remote;
  const isTrusted = deps.remoteAgents.find(call.tenant, call.peer)?.trusted === true;
  const metadata = withExtension(undefined, {
    ...(chain.to !== undefined && { to: chain.to }),
    hops: chain.hops,
    rootCorrelationId: isTrusted ? chain.root : deps.remoteAgents.pseudonymOf(call.peer, chain.root),
    ...(isTrusted && { origin: originOnWire(call) }),
    msgType: mode,
  });
  const headers = isTrusted ? traceOf(deps, call) : undefined;
  return { messageId, contextId, taskId, text, metadata, ...(headers && { headers }) };
};

const originOnWire = ({ origin: { channel, promptSummary, startedAt } }: RemoteCall) => ({
  channel,
  promptSummary,
  startedAt,
});

const traceOf = ({ tracer }: MessageDeps, call: RemoteCall): Record<string, string> | undefined =>
  tracer && { ...traceHeaders(call.traceId, peerCallSpanId(call), tracer.isSampled(call.traceId)) };

/** Lease of a claimed answer, longer than a request: by then the claiming process has finished or crashed. */
const CLAIM_MS = 40_000;
const HISTORY_LENGTH = 10;

/**
 * Sends our next answer to the remote agent, if there is one. The driver and a hint may poll at the same time, so the
 * answer is claimed before the request and counted after it. If an earlier attempt may have sent it, the task's history
 * tells whether it arrived, because the message id is the same in every attempt.
 */
export const sendAnswer = async (
  deps: PeerDeps,
  client: PeerClient,
  address: RemoteCall,
  signal: AbortSignal,
): Promise<TaskUpdate | undefined> => {
  const claim = await claimAnswer(deps, address);
  if (claim === undefined) return undefined;
  const { call, nth } = claim;
  await deps.checkpoint("answer.claimed");
  try {
    const update = await deliver(deps, client, claim, signal);
    await countSent(deps, call, nth);
    return isAnsweredQuestion(call, update) ? { ...update, state: "working", text: "" } : update;
  } catch (error) {
    // The next poll finds out whether the answer arrived.
    await changeRemote(deps, call, (remote) => ({ ...remote, claimedUntil: 0 }));
    throw error;
  }
};

const deliver = async (
  deps: PeerDeps,
  client: PeerClient,
  { call, nth, wasTried, until }: Claim,
  signal: AbortSignal,
): Promise<TaskUpdate> => {
  const message = answerMessage(deps, call, nth);
  const before = wasTried ? await client.get(message.taskId, signal, HISTORY_LENGTH) : undefined;
  if (before !== undefined && hasArrived(call, before, message.messageId)) return before;
  if (deps.clock.now() >= until)
    throw new AppError("unavailable", "the claim has expired, another process may be sending this answer");
  const update = await client.send(message, undefined, signal);
  await deps.checkpoint("answer.sent");
  return update;
};

interface Claim {
  readonly call: RemoteCall;
  readonly nth: number;
  readonly wasTried: boolean;
  readonly until: number;
}

const claimAnswer = async (deps: PeerDeps, address: RemoteCall): Promise<Claim | undefined> => {
  const now = deps.clock.now();
  const until = now + CLAIM_MS;
  let claim: Omit<Claim, "call"> | undefined;
  const call = await changeRemote(deps, address, (remote) => {
    const { sent, answers, claimedUntil } = remote;
    claim = undefined;
    if (sent >= answers.length || (claimedUntil ?? 0) > now) return remote;
    claim = { nth: sent, wasTried: claimedUntil !== undefined, until };
    return { ...remote, claimedUntil: until };
  });
  return call && claim && { call, ...claim };
};

const countSent = (deps: PeerDeps, call: RemoteCall, nth: number): Promise<unknown> =>
  changeRemote(deps, call, (remote) => {
    if (remote.sent !== nth) return remote;
    const { claimedUntil: _, ...rest } = remote;
    // The remote agent continues now, so polling restarts with short pauses.
    return { ...rest, sent: nth + 1, looks: 1 };
  });

const changeRemote = async (
  deps: PeerDeps,
  address: RemoteCall,
  change: (remote: RemoteCall["remote"]) => RemoteCall["remote"],
): Promise<RemoteCall | undefined> => {
  const call = await changeCall(deps, address, (open) => {
    const remote = open.remote && change(open.remote);
    return remote === open.remote ? open : { ...open, remote };
  });
  return call?.state === "open" && call.remote !== undefined ? { ...call, remote: call.remote } : undefined;
};

/** The update repeats a question that we have answered. */
const isAnsweredQuestion = ({ remote }: RemoteCall, { state, key }: TaskUpdate): boolean =>
  state === "input-required" && remote.seen.includes(key);

/** True as well if the remote agent no longer waits for this answer. */
const hasArrived = (call: RemoteCall, update: TaskUpdate, messageId: string): boolean =>
  update.receivedIds?.includes(messageId) === true || !isAnsweredQuestion(call, update);
