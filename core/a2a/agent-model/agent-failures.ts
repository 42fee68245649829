import { A2AError } from "@a2a-js/sdk/errors";
import { AppError, BackboneUnavailable } from "../../contract/app-error.ts";
import { ModelFailed } from "../../model/index.ts";
import { appErrorIn } from "../../net/index.ts";
import { failureDetail, isUnreachable } from "../client/peer-fetch.ts";
import type { TaskUpdate } from "../client/task-update.ts";
import { redactAddresses } from "../record/redact.ts";

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

export const TIMED_OUT =
  "The agent that answers here did not finish in time, so I cancelled its task. Try asking for it in smaller steps.";

const AGAIN = "Please send your message again in a few minutes.";
const OPERATOR = "Please tell the operator of this service; sending it again will not help.";

/** Translates every failure of a request. People get no addresses, no settings and none of the agent's error text. */
export const explainFailure = (label: string, error: unknown): unknown => {
  if (error instanceof ModelFailed || error instanceof BackboneUnavailable) return error;
  const detail = `${label}: ${failureDetail(error)}`;
  const failed = (reason: ModelFailed["reason"], shown: string) =>
    // The model has retried as long as its settings allow.
    new ModelFailed(reason, detail, { shown, retryable: false });
  if (error instanceof TaskTimedOut) {
    return failed("timeout", TIMED_OUT);
  }
  const code = appErrorIn(error)?.code;
  if (code === "unauthorised")
    return failed("credentials", `The agent that answers here does not accept my credentials. ${OPERATOR}`);
  if (code === "too-large")
    return failed("bad-answer", "The answer of the agent is too long for me to pass on. Try asking for a part of it.");
  if (isUnreachable(error))
    return failed("unreachable", `I cannot reach the agent that answers here right now. ${AGAIN}`);
  if (isProtocolError(error))
    return failed("refused", `The agent that answers here could not handle your message. ${OPERATOR}`);
  if (code !== undefined && code !== "internal")
    return failed("refused", `I cannot reach the agent that answers here. ${OPERATOR}`);
  return failed("bad-answer", `The agent that answers here sent something that I could not read. ${OPERATOR}`);
};

const ENDED: Readonly<Record<NonNullable<TaskUpdate["failure"]>, string>> = {
  failed: "The agent that answers here could not finish this",
  cancelled: "The agent that answers here cancelled this task",
  rejected: "The agent that answers here declined this",
  "sign-in": "The agent that answers here requires a sign-in, which is not possible in this chat",
};

const MAX_REASON_CHARS = 1_000;

/** The failure of a task that ended without a result. The agent's reason may have addresses for its own operators. */
export const failedTask = (label: string, { failure = "failed", text, taskId }: TaskUpdate): ModelFailed => {
  const reason = text.slice(0, MAX_REASON_CHARS);
  const shown = redactAddresses(reason).trim();
  return new ModelFailed("refused", `${label}: the task ${taskId} ended as ${failure}${reason && `: ${reason}`}`, {
    shown: shown === "" ? `${ENDED[failure]}.` : `${ENDED[failure]}: ${shown}`,
  });
};
