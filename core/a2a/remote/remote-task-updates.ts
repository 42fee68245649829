import { appErrorIn } from "../../net/index.ts";
import type { PeerClient } from "../client/peer-client.ts";
import { isUnreachable } from "../client/peer-fetch.ts";
import type { TaskUpdate } from "../client/task-update.ts";
import type { PeerDeps } from "../deps.ts";
import { comesLater, type RemoteCall } from "../record/peer-call.ts";
import { firstMessage, sendAnswer } from "./outgoing-messages.ts";

const RESUBSCRIPTIONS = 3;

export interface Poll {
  readonly call: RemoteCall;
  /** Only the driver starts a task: a hint may arrive before the driver has received the task's id. */
  readonly isDriver: boolean;
  readonly signal: AbortSignal;
}

/** A turn waits for the answer, so the task is streamed if the remote agent can. */
export const isStreamed = (call: RemoteCall): boolean => call.mode === "consult" && !comesLater(call);

/** The updates of one exchange with a remote agent: the first message, an answer to its question, or a poll. */
export async function* remoteTaskUpdates(deps: PeerDeps, client: PeerClient, poll: Poll): AsyncGenerator<TaskUpdate> {
  const { call, isDriver, signal } = poll;
  const { taskId, contextId, looks } = call.remote;
  await deps.checkpoint("call.sending");
  if (taskId === undefined) {
    const found = looks === 0 ? undefined : await client.find(contextId, signal);
    if (found !== undefined) yield* follow(client, poll, found);
    else if (isDriver) yield* start(deps, client, poll);
    return;
  }
  const answered = await sendAnswer(deps, client, call, signal);
  const update = answered ?? (await client.get(taskId, signal));
  if (isDriver || answered !== undefined) yield* follow(client, poll, update);
  else yield update;
}

/** Yields the update, then streams the task if a turn waits for it. */
async function* follow(client: PeerClient, { call, signal }: Poll, update: TaskUpdate): AsyncGenerator<TaskUpdate> {
  yield update;
  if (update.taskId !== undefined && isStreamed(call) && client.streams && !hasStopped(update)) {
    yield* listen(client, update.taskId, signal);
  }
}

async function* start(deps: PeerDeps, client: PeerClient, { call, signal }: Poll): AsyncGenerator<TaskUpdate> {
  if (!isStreamed(call) || !client.streams) {
    const isAwaited = call.mode !== "notify" && client.pushes;
    const webhook = isAwaited ? deps.remoteAgents.webhookFor(call) : undefined;
    yield await client.send(firstMessage(deps, call), webhook, signal);
    return;
  }
  let last: TaskUpdate | undefined;
  try {
    for await (const update of client.stream(firstMessage(deps, call), signal)) {
      last = update;
      if (hasStopped(update)) break;
      yield update;
    }
  } catch (error) {
    if (signal.aborted || last?.taskId === undefined || !isInterrupted(error)) throw error;
  }
  if (last?.taskId === undefined) {
    if (last !== undefined) yield last;
  } else if (last.state === "completed" && last.hasArtifacts) yield last;
  else if (hasStopped(last)) yield await readTask(client, last.taskId, last, signal);
  else yield* listen(client, last.taskId, signal);
}

/** Follows a task whose stream ended or broke off. The first event of the new stream is the current state. */
async function* listen(client: PeerClient, taskId: string, signal: AbortSignal): AsyncGenerator<TaskUpdate> {
  let last: TaskUpdate | undefined;
  let isOver = false;
  for (let tries = 0; !isOver && tries < RESUBSCRIPTIONS; tries++) {
    try {
      for await (const update of client.subscribe(taskId, signal)) {
        last = update;
        isOver = hasStopped(update);
        if (isOver) break;
        yield update;
      }
    } catch (error) {
      if (signal.aborted) throw error;
      // A task that has ended cannot be subscribed to; GetTask returns its result.
      isOver = !isUnreachable(error);
    }
  }
  yield await readTask(client, taskId, last, signal);
}

/** Reads the task. If the remote agent stores no tasks, the last streamed update stands. */
const readTask = async (
  client: PeerClient,
  taskId: string,
  streamed: TaskUpdate | undefined,
  signal: AbortSignal,
): Promise<TaskUpdate> => {
  try {
    return await client.get(taskId, signal);
  } catch (error) {
    if (signal.aborted || isUnreachable(error) || streamed === undefined || !hasStopped(streamed)) throw error;
    return streamed;
  }
};

/** The task has ended or waits for an answer. */
const hasStopped = ({ state }: TaskUpdate): boolean => state !== "working";

/** A stream that broke off or exceeded the size limit says nothing about its task. */
const isInterrupted = (error: unknown): boolean => isUnreachable(error) || appErrorIn(error)?.code === "too-large";
