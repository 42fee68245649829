import { AppError, messageOf } from "../../contract/app-error.ts";
import type { Outcome } from "../../contract/bus.ts";
import { ack } from "../../contract/bus.ts";
import { LinkedAbort } from "../../turns/linked-abort.ts";
import { changeCall } from "../change-call.ts";
import { noAnswer } from "../no-answer.ts";
import { readCall } from "../peer-call.ts";
import type { PeerParts } from "../peer-parts.ts";
import { settleCall, tellCaller } from "../settle-call.ts";
import { exchange, isListened } from "./exchange.ts";
import { hearNews } from "./hear-news.ts";
import { isTransport } from "./is-transport.ts";
import type { RemoteCall } from "./outgoing-message.ts";
import { whyFailed } from "./why-failed.ts";

/** One request, unless it is listened to. */
const REQUEST_MS = 30_000;
/** How long a stream is listened to; what comes later is asked for. */
const LISTEN_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 1_000;
/** About a minute is the longest. */
const MOST_DOUBLINGS = 6;
/** Who has more to say about how it goes says it for its own sake: each line is a write. */
const MOST_LINES = 100;

/**
 * A message to a remote agent: sent, listened to, asked after with growing pauses until it ends or its time is up. A
 * webhook is only a hint to ask now; what the remote agent says when asked is the truth.
 */
export const driveRemoteCall = async (parts: PeerParts, call: RemoteCall): Promise<Outcome> => {
  if (call.state !== "open") {
    await tellCaller(parts, call);
    return ack;
  }
  if (call.deadlineAt <= parts.clock.now()) {
    await settleCall(parts, call, { error: noAnswer(call) });
    await giveUp(parts, call);
    return ack;
  }
  await lookAtRemoteCall(parts, call, { isDriver: true });
  const after = await readCall(parts.store, call);
  if (after?.state !== "open") return ack;
  const pauseMs = pauseAfter(after.remote?.looks ?? 0);
  return { retryInMs: Math.max(1, Math.min(pauseMs, after.deadlineAt - parts.clock.now())) };
};

export const pauseAfter = (looks: number): number => FIRST_PAUSE_MS * 2 ** Math.min(looks, MOST_DOUBLINGS);

interface Looker {
  /** The one who sends the message; others come because of a hint. */
  readonly isDriver: boolean;
}

/** Sends what is to be sent, or asks how it is. What cannot be mended by trying again ends the call. */
export const lookAtRemoteCall = async (parts: PeerParts, call: RemoteCall, { isDriver }: Looker): Promise<void> => {
  const { clock, remoteAgents } = parts;
  // Counted before anything is sent: whoever comes after a death knows that it may have been.
  await changeCall(parts, call, (is) =>
    is.remote === undefined ? is : { ...is, remote: { ...is.remote, looks: is.remote.looks + 1 } },
  );
  const over = new LinkedAbort(parts.stopping);
  const mostMs = Math.min(isListened(call) ? LISTEN_MS : REQUEST_MS, call.deadlineAt - clock.now());
  const timer = clock.after(mostMs, () => over.abort(new AppError("unavailable", `${call.peer} took too long`)));
  try {
    const peer = remoteAgents.find(call.tenant, call.peer);
    if (peer === undefined) throw new AppError("not-found", `${call.peer} is no longer configured`);
    const client = await remoteAgents.clientOf(peer);
    let lines = 0;
    for await (const news of exchange(parts, client, { call, isDriver, signal: over.signal })) {
      if (news.state !== "working" || ++lines <= MOST_LINES) await hearNews(parts, call, news);
    }
  } catch (error) {
    if (parts.stopping.aborted) throw error;
    const reason = whyFailed(error);
    parts.logger.warn({ call: call.id, peer: call.peer, traceId: call.traceId, reason }, "a remote agent failed");
    if (!isTransport(error)) await settleCall(parts, call, { error: `${call.peer} could not be asked: ${reason}` });
  } finally {
    timer.cancel();
    over.release();
  }
};

/** The remote agent need not go on with what nobody waits for. */
const giveUp = async (parts: PeerParts, { tenant, peer: name, remote }: RemoteCall): Promise<void> => {
  const peer = parts.remoteAgents.find(tenant, name);
  if (peer === undefined || remote.taskId === undefined) return;
  try {
    const client = await parts.remoteAgents.clientOf(peer);
    await client.cancel(remote.taskId, AbortSignal.timeout(REQUEST_MS));
  } catch (error) {
    parts.logger.debug({ peer: name, error: messageOf(error) }, "a task was not cancelled");
  }
};
