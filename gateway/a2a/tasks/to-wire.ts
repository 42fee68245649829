import { type Artifact, Message, Role, type Task, TaskState, type TaskStatus } from "@a2a-js/sdk";
import type { InboundTask } from "../../../core/a2a/inbound/index.ts";

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
  const kept = historyLength === undefined ? said : historyLength === 0 ? [] : said.slice(-historyLength);
  return {
    id,
    contextId,
    status: wireStatus(task),
    artifacts: answer === undefined ? [] : [answerArtifact(answer)],
    history: kept.map((message) => wireMessage(task, message)),
    metadata: skill === undefined ? undefined : { skill },
  };
};

export const wireStatus = (task: InboundTask): TaskStatus => {
  const { id, state, note, changes, statusAt } = task;
  const message = note === undefined ? undefined : ({ id: `${id}/${changes}`, from: "agent", text: note } as const);
  return { state: wireState(state), message: message && wireMessage(task, message), timestamp: statusAt };
};

export const answerArtifact = (text: string): Artifact => ({
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
