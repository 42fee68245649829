import type { Clock } from "../../contract/ports/clock.ts";
import { pause } from "../../lib/index.ts";
import type { OutgoingMessage, PeerClient } from "../client/peer-client.ts";
import { isUnreachable } from "../client/peer-fetch.ts";
import type { OnText, TaskUpdate } from "../client/task-update.ts";
import type { TurnTask } from "./turn-task.ts";

const FIRST_PAUSE_MS = 500;
/** Limits the pause between two polls to 8 s. */
const MAX_DOUBLINGS = 4;

export const pauseAfter = (tries: number): number => FIRST_PAUSE_MS * 2 ** Math.min(tries, MAX_DOUBLINGS);

export interface Following {
  readonly client: PeerClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onText: OnText;
  /** Streams if the agent can; a stream that was too large is not tried again. */
  readonly streams: boolean;
}

/** Sends the message and yields the updates of its task. Ends after an answer without a task. */
export async function* startTask(following: Following, message: OutgoingMessage): AsyncGenerator<TaskUpdate> {
  const { client, signal, onText, streams } = following;
  let taskId: string | undefined;
  if (streams) {
    for await (const update of client.stream(message, signal, onText)) {
      taskId ??= update.taskId;
      yield update;
    }
  } else {
    const update = await client.send(message, undefined, signal);
    taskId = update.taskId;
    yield update;
  }
  if (taskId !== undefined) yield* followTask(following, taskId);
}

/** Yields the updates of a task: from a new subscription if the agent streams, else, and after it, by polling. */
export async function* followTask(following: Following, taskId: string): AsyncGenerator<TaskUpdate> {
  const { client, clock, signal, onText } = following;
  let { streams } = following;
  for (let polls = 0; ; polls++) {
    if (streams) {
      try {
        yield* client.subscribe(taskId, signal, onText);
      } catch (error) {
        if (signal.aborted) throw error;
        // A task that has ended cannot be subscribed to; the poll returns its result.
        streams = isUnreachable(error);
      }
    }
    yield await client.get(taskId, signal);
    await pause(clock, pauseAfter(polls), signal);
  }
}

const HISTORY_LENGTH = 10;

/** The task of a message that may have been sent already; undefined: it has not arrived. */
export const findTask = async ({ client, signal }: Following, task: TurnTask): Promise<TaskUpdate | undefined> => {
  const { answers, messageId } = task;
  if (answers === undefined) return client.findMessage(task, signal);
  const update = await client.get(answers.taskId, signal, HISTORY_LENGTH);
  return update.receivedIds?.includes(messageId) || !isQuestionOf(task, update) ? update : undefined;
};

/** The update repeats the question that the message answers: the agent has not read the message yet. */
export const isQuestionOf = ({ answers }: TurnTask, { state, key, taskId }: TaskUpdate): boolean =>
  state === "input-required" && answers?.key === key && answers.taskId === taskId;
