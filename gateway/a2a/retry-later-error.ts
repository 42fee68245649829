import { A2AError, type RestA2AError } from "@a2a-js/sdk/errors";

/** By then cores have published their load again, and a probe has found whether writes work. */
const AGAIN_AFTER_S = "5";

/** The caller is to retry later. The protocol has no error for it; HTTP has, in both bindings. */
export abstract class RetryLaterError extends A2AError implements RestA2AError {
  readonly transport = "rest";
  abstract readonly statusCode: number;
  readonly headers = { "retry-after": AGAIN_AFTER_S };
}

/** So much waits already that nothing more is accepted. */
export class CrowdedError extends RetryLaterError {
  override readonly reason = "RESOURCE_EXHAUSTED";
  override readonly statusCode = 429;
}

/** Nothing can be stored, or the process stops. */
export class UnavailableError extends RetryLaterError {
  override readonly reason = "UNAVAILABLE";
  override readonly statusCode = 503;
}
