import { AISDKError, APICallError } from "ai";
import type { Clock } from "../../contract/ports/clock.ts";
import { ModelFailed, type ModelFailure } from "../model-failed.ts";

export interface FailureContext {
  /** The model in messages for operators: label and host. */
  readonly model: string;
  /** Removed from every message, also if a provider quotes them. */
  readonly secrets: readonly string[];
  readonly clock: Clock;
}

/** Shorter header values, such as "1", are not removed, because they would match other text. */
const MIN_SECRET_CHARS = 6;

const ADVICE: Record<ModelFailure, string> = {
  "rate-limited": "limits the request rate",
  timeout: "timed out",
  unreachable: "cannot be reached: check baseUrl and whether the server runs",
  credentials: "rejected the credentials: check apiKey and the account's credit",
  "context-too-long": "rejected the prompt as too long: lower contextTokens",
  overloaded: "is overloaded or failing",
  "bad-answer": "sent an invalid answer: if it repeats, check that baseUrl leads to a model server",
  refused: "rejected the request: check model and baseUrl",
  cancelled: "was cancelled",
};

/** Translates SDK errors, which hold the prompt, the headers and the server's free text, into safe ones. */
export const explainFailure = (error: unknown, status: number | undefined, context: FailureContext): ModelFailed => {
  if (error instanceof ModelFailed) return error;
  if (status === undefined) return connectionFailure(error, context);
  const reported = providerErrorOf(error);
  const streaming = status >= 200 && status < 300;
  const reason = streaming ? (lostConnection(error) ?? reasonInStream(reported)) : reasonOfStatus(status, reported);
  const details = [`HTTP ${status}`, ...reported.codes, ...networkCodes(error), ...(streaming ? namesOf(error) : [])];
  return failed(reason, details, context, retryAfterMs(reported.headers, context.clock.now()));
};

/** The connection was lost or timed out during the answer. */
const lostConnection = (error: unknown): ModelFailure | undefined => {
  const codes = networkCodes(error);
  if (codes.length === 0) return undefined;
  return codes.some((code) => code.endsWith("_TIMEOUT")) ? "timeout" : "bad-answer";
};

const connectionFailure = (error: unknown, context: FailureContext): ModelFailed => {
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

/** The error report of a provider. */
interface ProviderError {
  /** The whole text, to search for known phrases. It may quote the prompt, so it is never shown. */
  readonly text: string;
  /** The provider's short codes, e.g. "invalid_request_error": safe to show once secrets are removed. */
  readonly codes: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

const MAX_CHARS = 20_000;

const providerErrorOf = (error: unknown): ProviderError => {
  if (APICallError.isInstance(error)) {
    const text = (error.responseBody ?? "").slice(0, MAX_CHARS);
    return { text, codes: codesIn(parsed(text)), headers: error.responseHeaders ?? {} };
  }
  // An error inside a stream arrives as the provider's own object.
  const text = error instanceof Error ? "" : (safeJson(error) ?? "").slice(0, MAX_CHARS);
  return { text, codes: codesIn(error), headers: {} };
};

/** { error: { type, code, param } }, the same without the outer object, or a list of one of them. */
const codesIn = (value: unknown): string[] => {
  const outer = Array.isArray(value) ? value[0] : value;
  const inner = fieldsOf(fieldsOf(outer).error ?? outer);
  const codes = [inner.type, inner.code, inner.status, inner.param]
    .map((code) => (typeof code === "number" ? String(code) : code))
    .filter((code) => typeof code === "string")
    .filter((code) => /^[\w.-]{1,60}$/.test(code));
  return [...new Set(codes)];
};

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const safeJson = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
};

/** The texts of OpenAI, Anthropic, Google, vLLM, llama.cpp and Ollama. */
const TOO_LONG =
  /context.?(length|window|size)|maximum context|prompt is too long|too many (input )?tokens|token count exceeds|exceeds? .{0,40}(context|token limit)|reduce the length/i;
const BAD_KEY =
  /(invalid|incorrect|missing|expired).{0,20}api.?key|api.?key.{0,20}(invalid|not valid|expired|missing)/i;
const NO_CREDIT = /insufficient_quota|billing_error|credit balance is too low/i;
const LIMITED = /rate_limit|too_many_requests|resource_exhausted/i;
const OVERLOADED = /overloaded|server_error|unavailable/i;
const REFUSED = /invalid_request|not_found|content_filter|content_policy/i;

/** The reason of a rejected request, by the HTTP status. */
export const reasonOfStatus = (status: number, { text }: ProviderError): ModelFailure => {
  if (status === 429) return NO_CREDIT.test(text) ? "credentials" : "rate-limited";
  if (status === 413 || (status >= 400 && TOO_LONG.test(text))) return "context-too-long";
  if (status === 401 || status === 402 || status === 403) return "credentials";
  if (status === 400 && (BAD_KEY.test(text) || NO_CREDIT.test(text))) return "credentials";
  if (status === 408) return "timeout";
  return status >= 500 || status === 409 || status === 425 ? "overloaded" : "refused";
};

/** The reason of an error inside the stream, which some providers send after HTTP 200. */
const reasonInStream = ({ text, codes }: ProviderError): ModelFailure => {
  if (TOO_LONG.test(text)) return "context-too-long";
  const joined = codes.join(" ");
  if (NO_CREDIT.test(joined) || /authentication|permission/i.test(joined)) return "credentials";
  if (LIMITED.test(joined) || codes.includes("429")) return "rate-limited";
  if (OVERLOADED.test(joined) || codes.some((code) => /^5\d\d$/.test(code))) return "overloaded";
  return REFUSED.test(joined) ? "refused" : "bad-answer";
};

/** The delay that a provider requests: "retry-after-ms", or "retry-after" in seconds or as a date. */
export const retryAfterMs = (headers: Readonly<Record<string, string>>, now: number): number | undefined => {
  const ms = positiveNumber(headers["retry-after-ms"]);
  if (ms !== undefined) return Math.ceil(ms);
  const value = headers["retry-after"];
  const seconds = positiveNumber(value);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  // A date names its month; without that check Date.parse would read "-1" as a year.
  const date = value !== undefined && /[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
};

const positiveNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
