import type { Artifact, Message, Part, StreamResponse, Task, TaskStatus } from "@a2a-js/sdk";
import { TaskState } from "@a2a-js/sdk";

/** What a remote agent says about its task, in our words. */
export interface TaskNews {
  /** Absent if it answered at once, without a task. */
  readonly taskId?: string;
  readonly state: "working" | "input-required" | "completed" | "failed";
  /** State and time as the remote agent spells them, else its message or words: the same news twice has the same key. */
  readonly key: string;
  /** What its status says. */
  readonly text: string;
  /** What came of it; known at the end. */
  readonly answer: string;
  /** The ids of the messages that it has had; known if they were asked for. */
  readonly heard?: readonly string[];
}

const states: Partial<Record<TaskState, TaskNews["state"]>> = {
  [TaskState.TASK_STATE_COMPLETED]: "completed",
  [TaskState.TASK_STATE_FAILED]: "failed",
  [TaskState.TASK_STATE_CANCELED]: "failed",
  [TaskState.TASK_STATE_REJECTED]: "failed",
  // Nobody here can sign in there.
  [TaskState.TASK_STATE_AUTH_REQUIRED]: "failed",
  [TaskState.TASK_STATE_INPUT_REQUIRED]: "input-required",
};

const failures: Partial<Record<TaskState, string>> = {
  [TaskState.TASK_STATE_CANCELED]: "It was cancelled there.",
  [TaskState.TASK_STATE_REJECTED]: "It was turned down there.",
  [TaskState.TASK_STATE_AUTH_REQUIRED]: "It wants a sign-in that nobody here can give.",
};

export const newsOfTask = ({ id, status, artifacts, history }: Task): TaskNews => {
  const news = newsOfStatus(id, status);
  const parts = artifacts.map(textOfArtifact).filter((text) => text !== "");
  const heard = history.map(({ messageId }) => messageId);
  return { ...news, answer: parts.join("\n\n") || news.text, heard };
};

export const newsOfMessage = (message: Message): TaskNews => {
  const text = textOf(message.parts);
  return { state: "completed", key: "message", text, answer: text };
};

/** Undefined: a piece of a result, which is read as a whole at the end. */
export const newsOfEvent = ({ payload }: StreamResponse): TaskNews | undefined => {
  if (payload?.$case === "task") return newsOfTask(payload.value);
  if (payload?.$case === "message") return newsOfMessage(payload.value);
  return payload?.$case === "statusUpdate" ? newsOfStatus(payload.value.taskId, payload.value.status) : undefined;
};

const newsOfStatus = (taskId: string, status: TaskStatus | undefined): TaskNews => {
  const state = status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
  const said = textOf(status?.message?.parts ?? []);
  const text = said || (failures[state] ?? "");
  return {
    taskId,
    state: states[state] ?? "working",
    key: `${state} ${status?.timestamp || status?.message?.messageId || text}`,
    text,
    answer: text,
  };
};

const textOfArtifact = ({ parts }: Artifact): string => textOf(parts);

const textOf = (parts: readonly Part[]): string =>
  parts
    .map(({ content, filename }) => {
      if (content?.$case === "text") return content.value;
      if (content?.$case === "data") return JSON.stringify(content.value);
      return content === undefined ? "" : `[a file: ${filename || "without a name"}]`;
    })
    .filter((text) => text !== "")
    .join("\n");
