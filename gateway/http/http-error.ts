import { AppError, type ErrorCode } from "../../core/contract/app-error.ts";

/** The error that a caller sees: never a stack, and no details of an unexpected error. */
interface HttpError {
  readonly status: number;
  readonly body: { readonly error: { readonly code: string; readonly message: string } };
}

export const httpError = (status: number, code: string, message: string): HttpError => ({
  status,
  body: { error: { code, message } },
});

export const toHttpError = (error: unknown): HttpError => {
  if (error instanceof AppError) {
    const status = httpStatus[error.code];
    return status === 500 ? UNEXPECTED : httpError(status, error.code, error.message);
  }
  const status = statusOf(error);
  if (status === undefined) return UNEXPECTED;
  return httpError(status, codeOfStatus[status] ?? "bad-input", messageOfStatus[status] ?? "The request is malformed.");
};

const UNEXPECTED = httpError(500, "internal", "Something went wrong here; the log has the details.");

/** Fastify's own refusals carry a status. Their text is not ours, so it is not passed on. */
const statusOf = (error: unknown): number | undefined => {
  if (typeof error !== "object" || error === null || !("statusCode" in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
};

const codeOfStatus: Readonly<Record<number, string>> = {
  404: "not-found",
  408: "timeout",
  413: "too-large",
  415: "unsupported-media-type",
};

const messageOfStatus: Readonly<Record<number, string>> = {
  404: "There is nothing at this address.",
  408: "The request took too long to arrive.",
  413: "The request's body is too large for this address.",
  415: "This address does not take this content type.",
};

/** What each error is over HTTP. Total, so that a new code does not compile until it is mapped. */
const httpStatus: Readonly<Record<ErrorCode, number>> = {
  "bad-input": 400,
  unauthorised: 401,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  "too-large": 413,
  "rate-limited": 429,
  "bad-configuration": 500,
  "data-unusable": 500,
  internal: 500,
  "data-in-use": 503,
  stopped: 503,
  unavailable: 503,
};
