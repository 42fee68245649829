import { AppError, messageOf } from "../../contract/app-error.ts";
import type { Outcome } from "../../contract/bus.ts";
import { ack } from "../../contract/bus.ts";
import { LinkedAbort } from "../../turns/linked-abort.ts";
import { changeCall } from "../change-call.ts";
import { noAnswer } from "../no-answer.ts";
import { comesLater, readCall } from "../peer-call.ts";
import type { PeerParts } from "../peer-parts.ts";
import { settleCall, tellCaller } from "../settle-call.ts";
import { hearNews } from "./hear-news.ts";
import { isTransport } from "./is-transport.ts";
import { answerMessage, firstMessage, type RemoteCall } from "./outgoing-message.ts";
import type { PeerClient } from "./peer-client.ts";
import type { TaskNews } from "./task-news.ts";

/** One request, unless it is listened to. */
const REQUEST_MS = 30_000;
/** How long a stream is listened to; what comes later is asked for. */
const LISTEN_MS = 10 * 60_000;
const RESUBSCRIPTIONS = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

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
  await lookAtRemoteCall(parts, call);
  const after = await readCall(parts.store, call);
  if (after?.state !== "open") return ack;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(after.remote?.looks ?? 0, 10), LONGEST_PAUSE_MS);
  return { retryInMs: Math.max(1, Math.min(pauseMs, after.deadlineAt - parts.clock.now())) };
};

/** Sends what is to be sent, or asks how it is. What cannot be mended by trying again ends the call. */
export const lookAtRemoteCall = async (parts: PeerParts, call: RemoteCall): Promise<void> => {
  const over = new LinkedAbort(parts.stopping);
  const timer = parts.clock.after(isListened(call) ? LISTEN_MS : REQUEST_MS, () =>
    over.abort(new AppError("unavailable", `${call.peer} took too long`)),
  );
  try {
    const peer = parts.remoteAgents.find(call.tenant, call.peer);
    if (peer === undefined) throw new AppError("not-found", `${call.peer} is no longer configured`);
    const client = await parts.remoteAgents.clientOf(peer);
    for await (const news of exchange(parts, client, call, over.signal)) await hearNews(parts, call, news);
  } catch (error) {
    if (parts.stopping.aborted) throw error;
    const reason = refusalIn(error)?.message ?? messageOf(error);
    parts.logger.warn({ call: call.id, peer: call.peer, traceId: call.traceId, reason }, "a remote agent failed");
    if (isFinal(error)) await settleCall(parts, call, { error: `${call.peer} could not be asked: ${reason}` });
  } finally {
    timer.cancel();
    over.release();
  }
};

/** Somebody waits in their turn: they hear of it as soon as it is there. */
const isListened = (call: RemoteCall): boolean => call.mode === "consult" && !comesLater(call);

async function* exchange(
  parts: PeerParts,
  client: PeerClient,
  call: RemoteCall,
  signal: AbortSignal,
): AsyncGenerator<TaskNews> {
  const { remote } = call;
  // Counted before anything is sent: whoever comes after a death knows that it may have been.
  await changeCall(parts, call, (is) =>
    is.remote === undefined ? is : { ...is, remote: { ...is.remote, looks: is.remote.looks + 1 } },
  );
  await parts.checkpoint("call.sending");
  if (remote.taskId === undefined) {
    const found = remote.looks === 0 ? undefined : await client.find(remote.contextId, signal);
    if (found !== undefined) yield found;
    else yield* begin(parts, client, call, signal);
  } else if (await claimAnswer(parts, call, remote.sent, remote.sent + 1)) {
    const news = await client
      .send(answerMessage(call, remote.sent, parts.tracer), undefined, signal)
      .catch(async (error: unknown) => {
        // It did not get there: whoever looks next tries again.
        if (isTransport(error)) await claimAnswer(parts, call, remote.sent + 1, remote.sent);
        throw error;
      });
    yield news;
    if (isListened(call)) yield* listen(client, news, remote.taskId, signal);
  } else yield await client.get(remote.taskId, signal);
}

/** Whoever looks because of a hint and whoever looks because it is time must not both send the same answer. */
const claimAnswer = async (parts: PeerParts, call: RemoteCall, from: number, to: number): Promise<boolean> => {
  let isMine = false;
  await changeCall(parts, call, (is) => {
    isMine = is.remote?.sent === from && is.remote.answers.length >= Math.max(from, to);
    return is.remote !== undefined && isMine ? { ...is, remote: { ...is.remote, sent: to } } : is;
  });
  return isMine;
};

async function* begin(
  parts: PeerParts,
  client: PeerClient,
  call: RemoteCall,
  signal: AbortSignal,
): AsyncGenerator<TaskNews> {
  if (!isListened(call) || !client.streams) {
    const isAwaited = call.mode !== "notify" && client.pushes;
    const webhook = isAwaited ? parts.remoteAgents.webhookFor(call) : undefined;
    yield await client.send(firstMessage(call, parts.tracer), webhook, signal);
    return;
  }
  let last: TaskNews | undefined;
  for await (const news of client.stream(firstMessage(call, parts.tracer), signal)) {
    last = news;
    if (isAtRest(news)) break;
    yield news;
  }
  if (last?.taskId === undefined) {
    if (last !== undefined) yield last;
    return;
  }
  yield* listen(client, last, last.taskId, signal);
}

/** To the end of a task whose stream has ended or was cut: its first word is then how the task is. */
async function* listen(
  client: PeerClient,
  last: TaskNews,
  taskId: string,
  signal: AbortSignal,
): AsyncGenerator<TaskNews> {
  let latest = last;
  for (let tries = 0; client.streams && !isAtRest(latest) && tries < RESUBSCRIPTIONS; tries++) {
    try {
      for await (const news of client.subscribe(taskId, signal)) {
        latest = news;
        if (isAtRest(news)) break;
        yield news;
      }
    } catch (error) {
      // A task that has ended cannot be listened to: asking tells.
      if (signal.aborted) throw error;
      break;
    }
  }
  yield await client.get(taskId, signal);
}

const isAtRest = ({ state }: TaskNews): boolean => state !== "working";

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

/** Our own refusal that a failed request hides in its causes. */
const refusalIn = (error: unknown): AppError | undefined => {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof AppError) return at;
  return undefined;
};

const isFinal = (error: unknown): boolean => {
  const refusal = refusalIn(error);
  return refusal === undefined ? !isTransport(error) : refusal.code !== "unavailable";
};
