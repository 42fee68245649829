import { AppError } from "../../contract/app-error.ts";
import type { PeerCallAddress } from "../../contract/messages/addresses.ts";
import { ack, type Outcome } from "../../contract/ports/bus.ts";
import { ChildAbort, raceAbort } from "../../lib/index.ts";
import { noAnswer, notifyCaller, settleCall } from "../calls/settle-call.ts";
import { failureDetail, failureText, isUnreachable, unreachableText } from "../client/peer-fetch.ts";
import type { PeerDeps } from "../deps.ts";
import { cancelLocalWork } from "../local/cancelled-call.ts";
import { changeCall, type PeerCall, type RemoteCall, readCall } from "../record/peer-call.ts";
import { applyTaskUpdate } from "./apply-task-update.ts";
import { cancelRemoteTask, REQUEST_MS } from "./cancel-remote-task.ts";
import { isStreamed, type Poll, remoteTaskUpdates } from "./remote-task-updates.ts";

/** Maximum time of a stream; afterwards the task is polled. */
const MAX_STREAM_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 1_000;
/** Limits the pause to about a minute. */
const MAX_DOUBLINGS = 6;
/** Progress updates that one poll stores; each costs a write. */
const MAX_PROGRESS_UPDATES = 100;

/**
 * Sends a call to a remote agent, streams its updates or polls it with growing pauses, until it ends or its deadline
 * passes. A webhook is only a hint to poll now; the state that the remote agent returns is authoritative.
 */
export const driveRemoteCall = async (deps: PeerDeps, call: RemoteCall): Promise<Outcome> => {
  if (call.state !== "open") {
    await notifyCaller(deps, call);
    return ack;
  }
  if (call.deadlineAt > deps.clock.now()) await pollRemoteCall(deps, call, { isDriver: true });
  const after = await readCall(deps.store, call);
  if (after?.remote === undefined || after.state !== "open") return ack;
  const current = { ...after, remote: after.remote };
  const now = deps.clock.now();
  if (current.deadlineAt <= now) {
    await settleCall(deps, current, {
      error: noAnswer(current),
      ...(current.detail !== undefined && { detail: current.detail }),
    });
    await cancelRemoteTask(deps, current);
    return ack;
  }
  const nextAt = Math.min(now + pauseAfter(current.remote.looks), current.deadlineAt, unreachableUntil(deps, current));
  return { retryInMs: Math.max(1, nextAt - now) };
};

const pauseAfter = (looks: number): number => FIRST_PAUSE_MS * 2 ** Math.min(looks, MAX_DOUBLINGS);

interface Poller {
  /** The driver sends the first message; other pollers react to a hint. */
  readonly isDriver: boolean;
}

/** Sends the next message, or polls the task. A permanent failure ends the call. */
const pollRemoteCall = async (deps: PeerDeps, call: RemoteCall, poller: Poller): Promise<void> => {
  const { clock } = deps;
  // Counted before the request: after a crash the next process knows that the message may have been sent.
  await changeCall(deps, call, (current) =>
    current.remote === undefined
      ? current
      : { ...current, remote: { ...current.remote, looks: current.remote.looks + 1 } },
  );
  const over = new ChildAbort(deps.stopping);
  const timeoutMs = Math.min(isStreamed(call) ? MAX_STREAM_MS : REQUEST_MS, call.deadlineAt - clock.now());
  const timer = clock.after(timeoutMs, () =>
    over.abort(new AppError("unavailable", `${call.peer} did not respond in time`)),
  );
  const poll = { ...poller, call, signal: over.signal };
  const response = { any: false };
  try {
    // The race enforces the deadline even if a request ignores the signal.
    await raceAbort(applyUpdates(deps, poll, response), over.signal);
  } catch (error) {
    if (deps.stopping.aborted) throw error;
    const detail = failureDetail(error);
    deps.logger.warn({ call: call.id, peer: call.peer, traceId: call.traceId, reason: detail }, "remote agent failed");
    if (!isUnreachable(error)) await settleCall(deps, call, { error: failureText(call.peer, error), detail });
    else if (!response.any && call.deadlineAt > clock.now()) await markUnreachable(deps, call, detail);
  } finally {
    timer.cancel();
    over.release();
  }
};

/** Sets `response.any` with the first update: a stream that breaks off later does not make the peer unreachable. */
const applyUpdates = async (deps: PeerDeps, poll: Poll, response: { any: boolean }): Promise<void> => {
  const { remoteAgents } = deps;
  const { call, signal } = poll;
  const peer = remoteAgents.find(call.tenant, call.peer);
  if (peer === undefined) throw new AppError("not-found", `${call.peer} is no longer configured`);
  const client = await remoteAgents.clientOf(peer);
  signal.throwIfAborted();
  let progress = 0;
  for await (const update of remoteTaskUpdates(deps, client, poll)) {
    response.any = true;
    await markReachable(deps, call);
    if (update.state !== "working" || ++progress <= MAX_PROGRESS_UPDATES) await applyTaskUpdate(deps, call, update);
  }
};

/** Polls soon after an answer, because the call's driver may be in a long pause. */
const POLLS_AFTER_ANSWER = 5;

/** Polls at once because of a hint: the webhook was called, or a question was answered. Also cancels a call's work. */
export const handlePeerEvent = async (deps: PeerDeps, address: PeerCallAddress, attempt: number): Promise<Outcome> => {
  const call = await readCall(deps.store, address);
  if (call?.remote === undefined) {
    if (call?.cancelledAt !== undefined) await cancelLocalWork(deps, call);
    return ack;
  }
  if (call.cancelledAt !== undefined) {
    const wasRead = await cancelRemoteTask(deps, { ...call, remote: call.remote });
    const triedMs = deps.clock.now() - Date.parse(call.cancelledAt);
    return wasRead || triedMs >= unreachableMsOf(deps, call) ? ack : { retryInMs: pauseAfter(attempt) };
  }
  if (call.state !== "open") return ack;
  await pollRemoteCall(deps, { ...call, remote: call.remote }, { isDriver: false });
  const after = await readCall(deps.store, address);
  if (after?.remote === undefined || after.state !== "open") return ack;
  const { answers, question, claimedUntil = 0 } = after.remote;
  // Another process is sending our answer, or has crashed while its claim is still valid.
  const claimedMs = claimedUntil - deps.clock.now();
  if (claimedMs > 0) return { retryInMs: claimedMs };
  const isAwaited = answers.length > 0 && question === undefined;
  return isAwaited && attempt <= POLLS_AFTER_ANSWER ? { retryInMs: pauseAfter(attempt) } : ack;
};

/** Used for a peer without its own setting. */
const DEFAULT_UNREACHABLE_MS = 600_000;
const MAX_DETAIL_CHARS = 2_000;

/** End of the retries for an unreachable peer; Infinity for a reachable one. Wall clock, milliseconds. */
const unreachableUntil = (deps: PeerDeps, call: PeerCall): number =>
  call.remote?.unreachableSince === undefined
    ? Number.POSITIVE_INFINITY
    : call.remote.unreachableSince + unreachableMsOf(deps, call);

const unreachableMsOf = ({ remoteAgents }: PeerDeps, { tenant, peer }: PeerCall): number =>
  remoteAgents.find(tenant, peer)?.unreachableMs ?? DEFAULT_UNREACHABLE_MS;

/** Records that a request got no answer. People see since when it is retried; after the limit the call fails. */
const markUnreachable = async (deps: PeerDeps, call: RemoteCall, reason: string): Promise<void> => {
  const now = deps.clock.now();
  const detail = reason.slice(0, MAX_DETAIL_CHARS);
  const changed = await changeCall(deps, call, (open) => {
    if (open.remote === undefined || open.remote.unreachableSince !== undefined) return open;
    return { ...open, detail, notes: open.notes + 1, remote: { ...open.remote, unreachableSince: now } };
  });
  if (changed?.state !== "open") return;
  if (unreachableUntil(deps, changed) <= now) {
    await settleCall(deps, changed, { error: unreachableText(call.peer), detail });
  } else showChange(deps, changed);
};

const markReachable = async (deps: PeerDeps, call: RemoteCall): Promise<void> => {
  if (call.remote.unreachableSince === undefined) return;
  const changed = await changeCall(deps, call, (open) => {
    if (open.remote?.unreachableSince === undefined) return open;
    const { unreachableSince: _, ...remote } = open.remote;
    const { detail: __, ...rest } = open;
    return { ...rest, notes: open.notes + 1, remote };
  });
  if (changed?.state === "open") showChange(deps, changed);
};

const showChange = (deps: PeerDeps, call: PeerCall): void =>
  deps.activity.touch({ ...call, owner: call.standing.owner, parentTurnId: call.turnId });
