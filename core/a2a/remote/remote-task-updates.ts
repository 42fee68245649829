import { firstMessage, type RemoteCall } from "../client/outgoing-message.ts";
import type { PeerClient } from "../client/peer-client.ts";
import { isUnreachable } from "../client/peer-failure.ts";
import type { TaskNews } from "../client/task-news.ts";
import { comesLater } from "../peer-call.ts";
import type { PeerParts } from "../peer-parts.ts";
import { refusalIn } from "../refusal-in.ts";
import { sendAnswer } from "./send-answer.ts";

const RESUBSCRIPTIONS = 3;

export interface Look {
  readonly call: RemoteCall;
  /** Only the driver begins a task: a hint may come before the driver has heard the task's id. */
  readonly isDriver: boolean;
  readonly signal: AbortSignal;
}

/** Somebody waits in their turn: they hear of it as soon as it is there. */
export const isListened = (call: RemoteCall): boolean => call.mode === "consult" && !comesLater(call);

/** One conversation with a remote agent about a call, as the news that come of it. */
export async function* exchange(parts: PeerParts, client: PeerClient, look: Look): AsyncGenerator<TaskNews> {
  const { call, isDriver, signal } = look;
  const { taskId, contextId, looks } = call.remote;
  await parts.checkpoint("call.sending");
  if (taskId === undefined) {
    const found = looks === 0 ? undefined : await client.find(contextId, signal);
    if (found !== undefined) yield* goOn(client, look, found);
    else if (isDriver) yield* begin(parts, client, look);
    return;
  }
  const answered = await sendAnswer(parts, client, call, signal);
  const news = answered ?? (await client.get(taskId, signal));
  if (isDriver || answered !== undefined) yield* goOn(client, look, news);
  else yield news;
}

/** Says how a task is, and listens to it if somebody waits. */
async function* goOn(client: PeerClient, { call, signal }: Look, news: TaskNews): AsyncGenerator<TaskNews> {
  yield news;
  if (news.taskId !== undefined && isListened(call) && client.streams && !isAtRest(news)) {
    yield* listen(client, news.taskId, signal);
  }
}

async function* begin(parts: PeerParts, client: PeerClient, { call, signal }: Look): AsyncGenerator<TaskNews> {
  if (!isListened(call) || !client.streams) {
    const isAwaited = call.mode !== "notify" && client.pushes;
    const webhook = isAwaited ? parts.remoteAgents.webhookFor(call) : undefined;
    yield await client.send(firstMessage(call, parts.tracer), webhook, signal);
    return;
  }
  let last: TaskNews | undefined;
  try {
    for await (const news of client.stream(firstMessage(call, parts.tracer), signal)) {
      last = news;
      if (isAtRest(news)) break;
      yield news;
    }
  } catch (error) {
    if (signal.aborted || last?.taskId === undefined || !isCut(error)) throw error;
  }
  if (last?.taskId === undefined) {
    if (last !== undefined) yield last;
  } else if (last.state === "completed" && last.hasArtifacts) yield last;
  else if (isAtRest(last)) yield await askAfter(client, last.taskId, last, signal);
  else yield* listen(client, last.taskId, signal);
}

/** To the end of a task whose stream has ended or was cut. The first event of the new stream is its current state. */
async function* listen(client: PeerClient, taskId: string, signal: AbortSignal): AsyncGenerator<TaskNews> {
  let last: TaskNews | undefined;
  let isOver = false;
  for (let tries = 0; !isOver && tries < RESUBSCRIPTIONS; tries++) {
    try {
      for await (const news of client.subscribe(taskId, signal)) {
        last = news;
        isOver = isAtRest(news);
        if (isOver) break;
        yield news;
      }
    } catch (error) {
      if (signal.aborted) throw error;
      // A task that has ended cannot be subscribed to; GetTask returns its result.
      isOver = !isUnreachable(error);
    }
  }
  yield await askAfter(client, taskId, last, signal);
}

/** The state of a task. A remote agent that stores no tasks has said all there is in its stream. */
const askAfter = async (
  client: PeerClient,
  taskId: string,
  streamed: TaskNews | undefined,
  signal: AbortSignal,
): Promise<TaskNews> => {
  try {
    return await client.get(taskId, signal);
  } catch (error) {
    if (signal.aborted || isUnreachable(error) || streamed === undefined || !isAtRest(streamed)) throw error;
    return streamed;
  }
};

const isAtRest = ({ state }: TaskNews): boolean => state !== "working";

/** A stream that broke off, or that is longer than anybody reads, says nothing about its task. */
const isCut = (error: unknown): boolean => isUnreachable(error) || refusalIn(error)?.code === "too-large";
