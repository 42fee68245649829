import { type Artifact, Message, Role, type StreamResponse, type Task, TaskState, type TaskStatus } from "@a2a-js/sdk";
import { hasEnded, type InboundTask, isAtRest } from "../../../core/a2a/inbound/index.ts";
import type { Delta, TaskWatcher } from "./task-watch.ts";

type OurState = InboundTask["state"];
type TaskMessage = InboundTask["said"][number];

const STATES: Readonly<Record<OurState, TaskState>> = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  "input-required": TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
};

export const wireState = (state: OurState): TaskState => STATES[state];

/** Id of a task's only artifact: its answer, whole or in pieces. */
const ANSWER = "answer";

/** A task in the protocol's form. `historyLength` limits the history to the latest messages. */
export const toWire = (task: InboundTask, historyLength?: number): Task => {
  const { id, contextId, skill, said, answer } = task;
  const history = historyLength === undefined ? said : historyLength === 0 ? [] : said.slice(-historyLength);
  return {
    id,
    contextId,
    status: wireStatus(task),
    artifacts: answer === undefined ? [] : [answerArtifact(answer)],
    history: history.map((message) => wireMessage(task, message)),
    metadata: skill === undefined ? undefined : { skill },
  };
};

const wireStatus = (task: InboundTask): TaskStatus => {
  const { id, state, note, changes, statusAt } = task;
  const message = note === undefined ? undefined : ({ id: `${id}/${changes}`, from: "agent", text: note } as const);
  return { state: wireState(state), message: message && wireMessage(task, message), timestamp: statusAt };
};

const answerArtifact = (text: string): Artifact => ({
  artifactId: ANSWER,
  name: "Answer",
  description: "",
  parts: [textPart(text)],
  metadata: undefined,
  extensions: [],
});

const wireMessage = ({ id: taskId, contextId }: InboundTask, { id, from, text, wire }: TaskMessage): Message => {
  if (wire !== undefined) return { ...Message.fromJSON(wire), taskId, contextId };
  return {
    messageId: id,
    contextId,
    taskId,
    role: from === "caller" ? Role.ROLE_USER : Role.ROLE_AGENT,
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
};

const textPart = (value: string) => ({
  content: { $case: "text" as const, value },
  metadata: undefined,
  filename: "",
  mediaType: "text/plain",
});

interface EventOptions {
  readonly historyLength?: number | undefined;
  /** The client sent no message: a task that waits for input may continue because of another request. */
  readonly isResubscription?: boolean;
  read(): Promise<InboundTask | undefined>;
}

/** The task, then its changes until it has ended or needs input, or until the client disconnects. */
export async function* taskEvents(
  first: InboundTask,
  watcher: TaskWatcher,
  { read, historyLength, isResubscription = false }: EventOptions,
): AsyncGenerator<StreamResponse, void, undefined> {
  const text = new StreamedAnswer();
  let known = first;
  yield { payload: { $case: "task", value: toWire(first, historyLength) } };
  while (!watcher.isClosed) {
    if (hasEnded(known) || (isAtRest(known) && !(isResubscription && known === first))) return;
    const mayHaveChanged = await watcher.waitForChange();
    for (const delta of watcher.takeDeltas()) {
      const piece = text.next(delta);
      if (piece !== undefined) yield artifactUpdate(known, piece.text, { append: piece.append, lastChunk: false });
    }
    if (!mayHaveChanged) continue;
    const task = await read();
    if (task === undefined) return;
    if (task.changes === known.changes) continue;
    known = task;
    if (task.answer !== undefined) yield artifactUpdate(task, task.answer, { append: false, lastChunk: true });
    yield statusUpdate(task);
  }
}

export const statusUpdate = (task: InboundTask): StreamResponse => ({
  payload: {
    $case: "statusUpdate",
    value: { taskId: task.id, contextId: task.contextId, status: wireStatus(task), metadata: undefined },
  },
});

const artifactUpdate = (
  { id: taskId, contextId }: InboundTask,
  text: string,
  { append, lastChunk }: { append: boolean; lastChunk: boolean },
): StreamResponse => ({
  payload: {
    $case: "artifactUpdate",
    value: { taskId, contextId, artifact: answerArtifact(text), append, lastChunk, metadata: undefined },
  },
});

/** Orders the pieces of an answer. After a gap it drops the rest of the attempt, because the whole answer follows. */
class StreamedAnswer {
  #attempt = -1;
  #length = 0;

  next({ attempt, offset, text }: Delta): { text: string; append: boolean } | undefined {
    if (attempt > this.#attempt && offset === 0) {
      this.#attempt = attempt;
      this.#length = text.length;
      return { text, append: false };
    }
    if (attempt !== this.#attempt || offset !== this.#length) return undefined;
    this.#length += text.length;
    return { text, append: true };
  }
}
