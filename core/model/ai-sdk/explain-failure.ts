import { AISDKError, APICallError } from "ai";
import type { Clock } from "../../contract/ports/clock.ts";
import { ModelFailed, type ModelFailure } from "../model-failed.ts";
import { complaintOf, reasonInStream, reasonOfStatus, retryAfterMs } from "./complaint.ts";

export interface FailureContext {
  /** How operators know the model: label and host. */
  readonly model: string;
  /** Removed from every message, also if a provider quotes them. */
  readonly secrets: readonly string[];
  readonly clock: Clock;
}

/** Headers are secrets too; one that says "1" must not punch holes into every number. */
const MIN_SECRET_CHARS = 6;

const ADVICE: Record<ModelFailure, string> = {
  "rate-limited": "limits our rate",
  timeout: "took too long",
  unreachable: "cannot be reached: check baseUrl, and that the server runs",
  credentials: "does not accept us: check apiKey and the account's credit",
  "context-too-long": "got more text than it can read: lower contextTokens",
  overloaded: "is overloaded or broken",
  "bad-answer": "sent an answer that cannot be used: if it repeats, check that baseUrl leads to a model server",
  refused: "refused the request: check model and baseUrl",
  cancelled: "was stopped",
};

/** Translates SDK errors, which hold the prompt, the headers and the server's free text, into safe ones. */
export const explainFailure = (error: unknown, status: number | undefined, context: FailureContext): ModelFailed => {
  if (error instanceof ModelFailed) return error;
  if (status === undefined) return notAnswered(error, context);
  const complaint = complaintOf(error);
  const streaming = status >= 200 && status < 300;
  const reason = streaming ? (lostConnection(error) ?? reasonInStream(complaint)) : reasonOfStatus(status, complaint);
  const details = [`HTTP ${status}`, ...complaint.codes, ...networkCodes(error), ...(streaming ? namesOf(error) : [])];
  return failed(reason, details, context, retryAfterMs(complaint.headers, context.clock.now()));
};

/** The answer began and its connection went away, or undici gave up on it. */
const lostConnection = (error: unknown): ModelFailure | undefined => {
  const codes = networkCodes(error);
  if (codes.length === 0) return undefined;
  return codes.some((code) => code.endsWith("_TIMEOUT")) ? "timeout" : "bad-answer";
};

const notAnswered = (error: unknown, context: FailureContext): ModelFailed => {
  if (AISDKError.isInstance(error) && !APICallError.isInstance(error)) {
    return failed("refused", ["the request could not be built", error.name], context);
  }
  const codes = networkCodes(error);
  return failed(codes.includes("UND_ERR_HEADERS_TIMEOUT") ? "timeout" : "unreachable", codes, context);
};

const failed = (
  reason: ModelFailure,
  details: readonly string[],
  { model, secrets }: FailureContext,
  retryAfterMs?: number | undefined,
): ModelFailed => {
  const shown = details.length === 0 ? "" : ` (${[...new Set(details)].join(", ")})`;
  const message = secrets
    .filter((secret) => secret.length >= MIN_SECRET_CHARS)
    .reduce((text, secret) => text.replaceAll(secret, "[secret]"), `${model} ${ADVICE[reason]}${shown}`);
  return new ModelFailed(reason, message, { retryAfterMs });
};

/** ECONNREFUSED, UND_ERR_SOCKET and the like, wherever they are in the chain. */
const networkCodes = (error: unknown): string[] =>
  chainOf(error).flatMap(({ code }) => (typeof code === "string" && /^[A-Z0-9_]{3,40}$/.test(code) ? [code] : []));

const namesOf = (error: unknown): string[] =>
  chainOf(error).flatMap(({ name }) => (/^\w{1,40}$/.test(name) ? [name] : []));

const chainOf = (error: unknown): (Error & { code?: unknown })[] => {
  const chain: (Error & { code?: unknown })[] = [];
  // An error may be its own cause; four links are enough for any SDK.
  for (let link = error; link instanceof Error && chain.length < 4; link = link.cause) chain.push(link);
  return chain;
};
