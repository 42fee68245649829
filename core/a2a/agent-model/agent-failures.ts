import { A2AError } from "@a2a-js/sdk/errors";
import { AppError, BackboneUnavailable } from "../../contract/app-error.ts";
import type { Texts } from "../../contract/texts/texts.ts";
import { ModelFailed } from "../../model/index.ts";
import { appErrorIn } from "../../net/index.ts";
import { failureDetail, isUnreachable } from "../client/peer-fetch.ts";
import type { TaskUpdate } from "../client/task-update.ts";
import { endText, type TaskEnd, taskEnd } from "./task-end.ts";

/** The agent answered with an error of the protocol; in a stream, the SDK wraps it. */
export const isProtocolError = (error: unknown): boolean =>
  error instanceof A2AError || (error instanceof Error && error.cause instanceof A2AError);

/** The agent did not finish in time. */
export class TaskTimedOut extends AppError {
  constructor(deadlineMs: number) {
    super(
      "unavailable",
      `the agent did not finish within ${deadlineMs} ms: raise deadlineMs, or make its tasks shorter`,
    );
  }
}

/** The turn no longer waits; the task goes on. */
export class StillWorking extends AppError {
  constructor() {
    super("unavailable", "the agent is still working");
  }
}

/** Translates every failure of a request. People get no addresses, no settings and none of the agent's error text. */
export const explainFailure = (label: string, error: unknown): unknown => {
  if (error instanceof ModelFailed || error instanceof BackboneUnavailable) return error;
  const detail = `${label}: ${failureDetail(error)}`;
  const failed = (reason: ModelFailed["reason"], key: keyof Texts["agents"]["failures"]) =>
    // The model has retried as long as its settings allow.
    new ModelFailed(reason, detail, { shown: ({ agents }) => agents.failures[key], retryable: false });
  if (error instanceof TaskTimedOut) return failed("timeout", "timedOut");
  const code = appErrorIn(error)?.code;
  if (code === "unauthorised") return failed("credentials", "credentials");
  if (code === "too-large") return failed("bad-answer", "tooLong");
  if (isUnreachable(error)) return failed("unreachable", "unreachable");
  if (isProtocolError(error)) return failed("refused", "notHandled");
  if (code !== undefined && code !== "internal") return failed("refused", "misconfigured");
  return failed("bad-answer", "unreadable");
};

const MAX_REASON_CHARS = 1_000;

/** The failure of a task that ended without a result. */
export const failedTask = (label: string, update: TaskUpdate): ModelFailed => {
  const { failure = "failed", text, taskId } = update;
  const reason = text.slice(0, MAX_REASON_CHARS);
  const end = failedEnd(update);
  return new ModelFailed("refused", `${label}: the task ${taskId} ended as ${failure}${reason && `: ${reason}`}`, {
    shown: (texts) => endText(end, texts) ?? "",
  });
};

export const failedEnd = ({ failure = "failed", text }: TaskUpdate): TaskEnd => taskEnd(failure, text);
