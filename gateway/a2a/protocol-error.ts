import { A2AError, RequestMalformedError, TaskNotFoundError } from "@a2a-js/sdk/errors";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Logger } from "../../core/contract/logger.ts";
import { CrowdedError, UnavailableError } from "./retry-later-error.ts";

/** What a caller is told about an error that is nobody's fault but ours; our own words are never sent. */
export const UNEXPECTED = "Something went wrong here; the log has the details.";

/** An error in the protocol's own terms. */
export const protocolError = (error: unknown, logger: Logger): A2AError => {
  if (error instanceof A2AError) return error;
  if (error instanceof AppError) {
    if (error.code === "bad-input") return new RequestMalformedError(error.message);
    if (error.code === "too-large")
      return new RequestMalformedError("This is more than can be kept: send less at once.");
    if (error.code === "not-found") return new TaskNotFoundError(error.message);
    if (error.code === "rate-limited") return new CrowdedError(error.message);
    if (error.code === "unavailable" || error.code === "stopped") {
      return new UnavailableError("This cannot be done at the moment: send it again in a few seconds.");
    }
  }
  const stack = error instanceof Error ? error.stack : undefined;
  logger.error({ error: messageOf(error), stack }, "a request of another agent failed");
  return new A2AError(UNEXPECTED);
};
