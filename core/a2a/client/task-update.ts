import {
  type Artifact,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
  type TaskArtifactUpdateEvent,
  TaskState,
  type TaskStatusUpdateEvent,
} from "@a2a-js/sdk";
import type { ToolFile } from "../../contract/tool.ts";
import { filesOf, textOfFile } from "./file-text.ts";
import { type ReportedUsage, usageIn } from "./reported-usage.ts";

/** An update of a remote task, independent of the SDK. */
export interface TaskUpdate {
  /** Absent if the remote agent answered with a message instead of a task. */
  readonly taskId?: string;
  /** The remote agent's own context, if it names one. */
  readonly contextId?: string;
  readonly state: "working" | "input-required" | "completed" | "failed";
  /** The remote end state, if the task did not complete. */
  readonly failure?: "failed" | "cancelled" | "rejected" | "sign-in";
  /** Identifies duplicates: the remote state with its timestamp, else with its message id or text. */
  readonly key: string;
  /** Text of the status message. */
  readonly text: string;
  /** The result: text of the artifacts, or of the status if there are none. Complete when the task has ended. */
  readonly answer: string;
  /** Files whose contents came with the answer; `answer` names them. */
  readonly files?: readonly ToolFile[];
  /** True if `answer` is the text of artifacts. */
  readonly hasArtifacts?: boolean;
  /** Ids of the messages in the task's history; present if the request asked for history. */
  readonly receivedIds?: readonly string[];
  /** The tokens that the remote agent reports, if it does. */
  readonly usage?: ReportedUsage;
}

/** Called with the text of all artifacts so far, while they are streamed. */
export type OnText = (text: string) => void;

const states: Partial<Record<TaskState, TaskUpdate["state"]>> = {
  [TaskState.TASK_STATE_COMPLETED]: "completed",
  [TaskState.TASK_STATE_FAILED]: "failed",
  [TaskState.TASK_STATE_CANCELED]: "failed",
  [TaskState.TASK_STATE_REJECTED]: "failed",
  // Mooring has no interactive sign-in at remote agents.
  [TaskState.TASK_STATE_AUTH_REQUIRED]: "failed",
  [TaskState.TASK_STATE_INPUT_REQUIRED]: "input-required",
};

const failureKinds: Partial<Record<TaskState, NonNullable<TaskUpdate["failure"]>>> = {
  [TaskState.TASK_STATE_FAILED]: "failed",
  [TaskState.TASK_STATE_CANCELED]: "cancelled",
  [TaskState.TASK_STATE_REJECTED]: "rejected",
  [TaskState.TASK_STATE_AUTH_REQUIRED]: "sign-in",
};

const failures: Partial<Record<TaskState, string>> = {
  [TaskState.TASK_STATE_CANCELED]: "The agent cancelled the task.",
  [TaskState.TASK_STATE_REJECTED]: "The agent rejected the task.",
  [TaskState.TASK_STATE_AUTH_REQUIRED]: "The agent requires a sign-in that I cannot provide.",
};

export const updateOfTask = ({ id, contextId, status, artifacts, history, metadata }: Task): TaskUpdate => {
  const receivedIds = history.map(({ messageId }) => messageId);
  const update = updateOfStatus({ taskId: id, contextId, status, metadata });
  const parts = artifacts.flatMap((artifact) => artifact.parts);
  return { ...withArtifacts(update, textOfArtifacts(artifacts), parts), receivedIds };
};

const withArtifacts = (update: TaskUpdate, text: string, parts: readonly Part[]): TaskUpdate =>
  text === "" ? update : { ...update, ...filesOf(parts), answer: text, hasArtifacts: true };

export const updateOfMessage = (message: Message): TaskUpdate => {
  const text = textOfMessage(message.parts);
  const { contextId, metadata } = message;
  return {
    ...inContext(contextId),
    state: "completed",
    key: "message",
    text,
    answer: text,
    ...filesOf(message.parts),
    ...usageIn(metadata),
  };
};

const inContext = (contextId: string): Pick<TaskUpdate, "contextId"> => (contextId === "" ? {} : { contextId });

/** The events of one stream. Chunks of a result are collected and added to the next update. */
export async function* updatesOfEvents(
  events: AsyncIterable<StreamResponse>,
  onText: OnText = () => undefined,
): AsyncGenerator<TaskUpdate> {
  const artifacts = new StreamedArtifacts();
  for await (const { payload } of events) {
    if (payload?.$case === "task") {
      artifacts.reset(payload.value.artifacts);
      onText(artifacts.text);
      yield updateOfTask(payload.value);
    } else if (payload?.$case === "artifactUpdate") {
      artifacts.apply(payload.value);
      onText(artifacts.text);
    } else if (payload?.$case === "message") yield updateOfMessage(payload.value);
    else if (payload?.$case === "statusUpdate") {
      const update = updateOfStatus(payload.value);
      yield update.state === "working" ? update : withArtifacts(update, artifacts.text, artifacts.parts);
    }
  }
}

const updateOfStatus = ({
  taskId,
  contextId,
  status,
  metadata,
}: Pick<TaskStatusUpdateEvent, "taskId" | "contextId" | "status" | "metadata">): TaskUpdate => {
  const state = status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
  const statusText = textOfMessage(status?.message?.parts ?? []);
  const text = statusText || (failures[state] ?? "");
  const failure = failureKinds[state];
  return {
    taskId,
    ...inContext(contextId),
    state: states[state] ?? "working",
    ...(failure && { failure }),
    key: `${state} ${status?.timestamp || status?.message?.messageId || text}`,
    text,
    answer: text,
    ...filesOf(status?.message?.parts ?? []),
    ...usageIn(metadata, status?.message?.metadata),
  };
};

/**
 * Collects the artifacts of a streamed task: with `append` a chunk continues its artifact, without it the chunk replaces
 * the artifact. Artifacts keep the order of their first chunks. `lastChunk` has no effect on the text.
 */
class StreamedArtifacts {
  #parts = new Map<string, Part[]>();

  /** A snapshot of the whole task replaces everything. */
  reset(artifacts: readonly Artifact[]): void {
    this.#parts = new Map(artifacts.map(({ artifactId, parts }) => [artifactId, [...parts]]));
  }

  apply({ artifact, append }: Pick<TaskArtifactUpdateEvent, "artifact" | "append">): void {
    if (artifact === undefined) return;
    const known = this.#parts.get(artifact.artifactId);
    if (append && known !== undefined) for (const part of artifact.parts) known.push(part);
    else this.#parts.set(artifact.artifactId, [...artifact.parts]);
  }

  get parts(): Part[] {
    return [...this.#parts.values()].flat();
  }

  get text(): string {
    return joinArtifacts([...this.#parts.values()]);
  }
}

const textOfArtifacts = (artifacts: readonly Artifact[]): string => joinArtifacts(artifacts.map(({ parts }) => parts));

const joinArtifacts = (artifacts: readonly (readonly Part[])[]): string =>
  artifacts
    .map(textOfArtifact)
    .filter((text) => text !== "")
    .join("\n\n");

/** Servers store each chunk as a separate part, so neighbouring text parts form one text. */
const textOfArtifact = (parts: readonly Part[]): string => {
  let text = "";
  let wasText = true;
  for (const part of parts) {
    const isText = part.content?.$case === "text";
    const piece = textOfPart(part);
    if (piece === "") continue;
    text += text === "" || (isText && wasText) ? piece : `\n${piece}`;
    wasText = isText;
  }
  return text;
};

/** A message is not streamed, so each of its parts is a separate block. */
const textOfMessage = (parts: readonly Part[]): string =>
  parts
    .map(textOfPart)
    .filter((text) => text !== "")
    .join("\n");

const textOfPart = (part: Part): string => {
  const { content } = part;
  if (content?.$case === "text") return content.value;
  if (content?.$case === "data") return JSON.stringify(content.value);
  return content === undefined ? "" : textOfFile(part);
};
