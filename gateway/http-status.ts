import type { ErrorCode } from "../core/contract/app-error.ts";

/** What each error is over HTTP. Total, so that a new code does not compile until it is mapped. */
export const httpStatus: Readonly<Record<ErrorCode, number>> = {
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
