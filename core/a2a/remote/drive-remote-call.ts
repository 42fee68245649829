import { AppError, messageOf } from "../../contract/app-error.ts";
import type { Outcome } from "../../contract/bus.ts";
import { ack } from "../../contract/bus.ts";
import { ChildAbort, raceAbort } from "../../lib/index.ts";
import { changeCall } from "../change-call.ts";
import type { RemoteCall } from "../client/outgoing-message.ts";
import { failureDetail, failureText, isUnreachable } from "../client/peer-failure.ts";
import { noAnswer } from "../no-answer.ts";
import { readCall } from "../peer-call.ts";
import type { PeerParts } from "../peer-parts.ts";
import { settleCall, tellCaller } from "../settle-call.ts";
import { hearNews } from "./apply-task-update.ts";
import { exchange, isListened, type Look } from "./remote-task-updates.ts";
import { markReachable, markUnreachable, unreachableUntil } from "./unreachable-peer.ts";

/** One request, unless it is listened to. */
const REQUEST_MS = 30_000;
/** How long a stream is listened to; afterwards the task is polled. */
const LISTEN_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 1_000;
/** The longest pause is about a minute. */
const MOST_DOUBLINGS = 6;
/** Progress lines of one look that are stored: each is a write. */
const MOST_LINES = 100;

/**
 * A message to a remote agent: sent, listened to, polled with growing pauses until it ends or its deadline passes. A
 * webhook is only a hint to poll now; the state that the remote agent returns is authoritative.
 */
export const driveRemoteCall = async (parts: PeerParts, call: RemoteCall): Promise<Outcome> => {
  if (call.state !== "open") {
    await tellCaller(parts, call);
    return ack;
  }
  if (call.deadlineAt > parts.clock.now()) await lookAtRemoteCall(parts, call, { isDriver: true });
  const after = await readCall(parts.store, call);
  if (after?.remote === undefined || after.state !== "open") return ack;
  const is = { ...after, remote: after.remote };
  const now = parts.clock.now();
  if (is.deadlineAt <= now) {
    await settleCall(parts, is, { error: noAnswer(is), ...(is.detail !== undefined && { detail: is.detail }) });
    await giveUp(parts, is);
    return ack;
  }
  const nextAt = Math.min(now + pauseAfter(is.remote.looks), is.deadlineAt, unreachableUntil(parts, is));
  return { retryInMs: Math.max(1, nextAt - now) };
};

export const pauseAfter = (looks: number): number => FIRST_PAUSE_MS * 2 ** Math.min(looks, MOST_DOUBLINGS);

interface Looker {
  /** The driver sends the message; others look because of a hint. */
  readonly isDriver: boolean;
}

/** Sends what is to be sent, or polls the task. A failure that a retry cannot fix ends the call. */
export const lookAtRemoteCall = async (parts: PeerParts, call: RemoteCall, looker: Looker): Promise<void> => {
  const { clock } = parts;
  // Counted before anything is sent: after a crash the next process knows that it may have been.
  await changeCall(parts, call, (is) =>
    is.remote === undefined ? is : { ...is, remote: { ...is.remote, looks: is.remote.looks + 1 } },
  );
  const over = new ChildAbort(parts.stopping);
  const mostMs = Math.min(isListened(call) ? LISTEN_MS : REQUEST_MS, call.deadlineAt - clock.now());
  const timer = clock.after(mostMs, () => over.abort(new AppError("unavailable", `${call.peer} took too long`)));
  const look = { ...looker, call, signal: over.signal };
  const heard = { any: false };
  try {
    // Nothing that ignores the signal may hold up the deadline.
    await raceAbort(converse(parts, look, heard), over.signal);
  } catch (error) {
    if (parts.stopping.aborted) throw error;
    const detail = failureDetail(error);
    parts.logger.warn({ call: call.id, peer: call.peer, traceId: call.traceId, reason: detail }, "remote agent failed");
    if (!isUnreachable(error)) await settleCall(parts, call, { error: failureText(call.peer, error), detail });
    else if (!heard.any && call.deadlineAt > clock.now()) await markUnreachable(parts, call, detail);
  } finally {
    timer.cancel();
    over.release();
  }
};

/** `heard` is set with the first answer: a stream that is cut later does not make the peer unreachable. */
const converse = async (parts: PeerParts, look: Look, heard: { any: boolean }): Promise<void> => {
  const { remoteAgents } = parts;
  const { call, signal } = look;
  const peer = remoteAgents.find(call.tenant, call.peer);
  if (peer === undefined) throw new AppError("not-found", `${call.peer} is no longer configured`);
  const client = await remoteAgents.clientOf(peer);
  signal.throwIfAborted();
  let lines = 0;
  for await (const news of exchange(parts, client, look)) {
    heard.any = true;
    await markReachable(parts, call);
    if (news.state !== "working" || ++lines <= MOST_LINES) await hearNews(parts, call, news);
  }
};

/** The remote agent need not finish work whose result is no longer awaited. */
const giveUp = async (parts: PeerParts, { tenant, peer: name, remote }: RemoteCall): Promise<void> => {
  const peer = parts.remoteAgents.find(tenant, name);
  if (peer === undefined || remote.taskId === undefined) return;
  const signal = AbortSignal.timeout(REQUEST_MS);
  try {
    const client = await raceAbort(parts.remoteAgents.clientOf(peer), signal);
    await client.cancel(remote.taskId, signal);
  } catch (error) {
    parts.logger.debug({ peer: name, error: messageOf(error) }, "could not cancel a remote task");
  }
};
