import { A2AError, type RestA2AError } from "@a2a-js/sdk/errors";

/** By then cores have told anew how much waits. */
const AGAIN_AFTER_S = "5";

/** So much waits already that nothing more is taken. The protocol has no error for it; HTTP has, in both bindings. */
export class CrowdedError extends A2AError implements RestA2AError {
  override readonly reason = "RESOURCE_EXHAUSTED";
  readonly transport = "rest";
  readonly statusCode = 429;
  readonly headers = { "retry-after": AGAIN_AFTER_S };
}
