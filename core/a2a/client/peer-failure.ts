import { A2AError } from "@a2a-js/sdk/errors";
import { messageOf } from "../../contract/app-error.ts";
import { refusalIn } from "../guarded-fetch.ts";

/** Codes of network errors: of the system, of undici, and of a truncated compressed body. */
const NETWORK = /^(?:E(?!PROTO$|RR_)[A-Z0-9_]+|UND_ERR_\w+|Z_BUF_ERROR)$/;

/**
 * Whether a retry may succeed: the peer did not answer, or answered "later". A retry does not help against a redirect, a
 * wrong address, rejected credentials, an untrusted certificate or a response outside the protocol.
 */
export const isUnreachable = (error: unknown): boolean => {
  const refusal = refusalIn(error);
  if (refusal !== undefined) return refusal.code === "unavailable";
  // fetch rejects with a TypeError for every failure, with the code in its cause. A TypeError without a code is a
  // programming error in the code that parsed the response.
  return error instanceof TypeError && NETWORK.test(codeOf(error.cause));
};

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";

/** Failure text for operators, with addresses and settings. */
export const failureDetail = (error: unknown): string => {
  const refusal = refusalIn(error);
  if (refusal !== undefined) return refusal.message;
  return error instanceof Error && error.cause instanceof Error
    ? `${error.message}: ${messageOf(error.cause) || codeOf(error.cause)}`
    : messageOf(error);
};

/** Failure text for people, without addresses, settings or the remote agent's own error text. */
export const failureText = (peer: string, error: unknown): string => {
  const code = refusalIn(error)?.code;
  if (code === "unauthorised") return `${peer} did not accept the request.`;
  if (code === "too-large") return `The answer of ${peer} is too long.`;
  if (error instanceof A2AError) return `${peer} could not handle the request.`;
  if (error instanceof SyntaxError) return `${peer} sent an answer that cannot be read.`;
  return unreachableText(peer);
};

export const unreachableText = (peer: string): string => `Could not reach the agent ${peer}.`;
