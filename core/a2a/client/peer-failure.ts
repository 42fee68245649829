import { A2AError } from "@a2a-js/sdk/errors";
import { messageOf } from "../../contract/app-error.ts";
import { refusalIn } from "../refusal-in.ts";

/** Network errors by their code: of the system, of undici, and of a compressed body that was cut. */
const NETWORK = /^(?:E(?!PROTO$|RR_)[A-Z0-9_]+|UND_ERR_\w+|Z_BUF_ERROR)$/;

/**
 * Whether the same request may succeed later: no answer came, or one that says "later". Everything else fails again:
 * a redirect, a wrong address, refused credentials, an untrusted certificate, an answer that is not the protocol.
 */
export const isUnreachable = (error: unknown): boolean => {
  const refusal = refusalIn(error);
  if (refusal !== undefined) return refusal.code === "unavailable";
  // fetch rejects with a TypeError for everything; the cause has the code. A TypeError without one is a fault of code
  // that read what the remote agent sent.
  return error instanceof TypeError && NETWORK.test(codeOf(error.cause));
};

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";

/** For operators, with addresses and settings. */
export const failureDetail = (error: unknown): string => {
  const refusal = refusalIn(error);
  if (refusal !== undefined) return refusal.message;
  return error instanceof Error && error.cause instanceof Error
    ? `${error.message}: ${messageOf(error.cause) || codeOf(error.cause)}`
    : messageOf(error);
};

/** For people: no address, no setting, nothing that the remote agent wrote for its own operators. */
export const failureText = (peer: string, error: unknown): string => {
  const code = refusalIn(error)?.code;
  if (code === "unauthorised") return `${peer} did not accept the request.`;
  if (code === "too-large") return `The answer of ${peer} is too long.`;
  if (error instanceof A2AError) return `${peer} could not handle the request.`;
  if (error instanceof SyntaxError) return `${peer} sent an answer that cannot be read.`;
  return unreachableText(peer);
};

export const unreachableText = (peer: string): string => `Could not reach the agent ${peer}.`;
