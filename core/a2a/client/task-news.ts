import type { Message, StreamResponse, Task, TaskStatus } from "@a2a-js/sdk";
import { TaskState } from "@a2a-js/sdk";
import { StreamedArtifacts, textOfArtifacts, textOfMessage } from "./artifact-text.ts";

/** What a remote agent says about its task, in our words. */
export interface TaskNews {
  /** Absent if it answered at once, without a task. */
  readonly taskId?: string;
  readonly state: "working" | "input-required" | "completed" | "failed";
  /** State and time as the remote agent spells them, else its message or words: the same news twice has the same key. */
  readonly key: string;
  /** What its status says. */
  readonly text: string;
  /** The result: the text of its artifacts, or of its status if it has none. Known at the end. */
  readonly answer: string;
  /** The answer is the text of artifacts. */
  readonly hasArtifacts?: boolean;
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
  const heard = history.map(({ messageId }) => messageId);
  return { ...withArtifacts(news, textOfArtifacts(artifacts)), heard };
};

const withArtifacts = (news: TaskNews, text: string): TaskNews =>
  text === "" ? news : { ...news, answer: text, hasArtifacts: true };

export const newsOfMessage = (message: Message): TaskNews => {
  const text = textOfMessage(message.parts);
  return { state: "completed", key: "message", text, answer: text };
};

/** The events of one stream. Chunks of a result are collected, and are part of the next news. */
export async function* newsOfEvents(events: AsyncIterable<StreamResponse>): AsyncGenerator<TaskNews> {
  const artifacts = new StreamedArtifacts();
  for await (const { payload } of events) {
    if (payload?.$case === "task") {
      artifacts.reset(payload.value.artifacts);
      yield newsOfTask(payload.value);
    } else if (payload?.$case === "artifactUpdate") artifacts.apply(payload.value);
    else if (payload?.$case === "message") yield newsOfMessage(payload.value);
    else if (payload?.$case === "statusUpdate") {
      const news = newsOfStatus(payload.value.taskId, payload.value.status);
      yield news.state === "working" ? news : withArtifacts(news, artifacts.text);
    }
  }
}

const newsOfStatus = (taskId: string, status: TaskStatus | undefined): TaskNews => {
  const state = status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
  const said = textOfMessage(status?.message?.parts ?? []);
  const text = said || (failures[state] ?? "");
  return {
    taskId,
    state: states[state] ?? "working",
    key: `${state} ${status?.timestamp || status?.message?.messageId || text}`,
    text,
    answer: text,
  };
};
