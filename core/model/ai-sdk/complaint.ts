import { APICallError } from "ai";
import type { ModelFailure } from "../model-failed.ts";

/** The error report of a provider. */
export interface Complaint {
  /** The whole text, to search for known phrases. It may quote the prompt, so it is never shown. */
  readonly words: string;
  /** Its short codes, e.g. "invalid_request_error": safe to show once secrets are taken out. */
  readonly codes: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

const MAX_CHARS = 20_000;

export const complaintOf = (error: unknown): Complaint => {
  if (APICallError.isInstance(error)) {
    const words = (error.responseBody ?? "").slice(0, MAX_CHARS);
    return { words, codes: codesIn(parsed(words)), headers: error.responseHeaders ?? {} };
  }
  // An error inside a stream arrives as the provider's own object.
  const words = error instanceof Error ? "" : (safeJson(error) ?? "").slice(0, MAX_CHARS);
  return { words, codes: codesIn(error), headers: {} };
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

/** As OpenAI, Anthropic, Google, vLLM, llama.cpp and Ollama word it. */
const TOO_LONG =
  /context.?(length|window|size)|maximum context|prompt is too long|too many (input )?tokens|token count exceeds|exceeds? .{0,40}(context|token limit)|reduce the length/i;
const BAD_KEY =
  /(invalid|incorrect|missing|expired).{0,20}api.?key|api.?key.{0,20}(invalid|not valid|expired|missing)/i;
const NO_CREDIT = /insufficient_quota|billing_error|credit balance is too low/i;
const LIMITED = /rate_limit|too_many_requests|resource_exhausted/i;
const OVERLOADED = /overloaded|server_error|unavailable/i;
const REFUSED = /invalid_request|not_found|content_filter|content_policy/i;

/** Why a provider turned a request down, by the status of its answer. */
export const reasonOfStatus = (status: number, { words }: Complaint): ModelFailure => {
  if (status === 429) return NO_CREDIT.test(words) ? "credentials" : "rate-limited";
  if (status === 413 || (status >= 400 && TOO_LONG.test(words))) return "context-too-long";
  if (status === 401 || status === 402 || status === 403) return "credentials";
  if (status === 400 && (BAD_KEY.test(words) || NO_CREDIT.test(words))) return "credentials";
  if (status === 408) return "timeout";
  return status >= 500 || status === 409 || status === 425 ? "overloaded" : "refused";
};

/** Why an answer that began well went wrong: some providers put an error into the stream. */
export const reasonInStream = ({ words, codes }: Complaint): ModelFailure => {
  if (TOO_LONG.test(words)) return "context-too-long";
  const said = codes.join(" ");
  if (NO_CREDIT.test(said) || /authentication|permission/i.test(said)) return "credentials";
  if (LIMITED.test(said) || codes.includes("429")) return "rate-limited";
  if (OVERLOADED.test(said) || codes.some((code) => /^5\d\d$/.test(code))) return "overloaded";
  return REFUSED.test(said) ? "refused" : "bad-answer";
};

/** How long a provider asks us to wait: "retry-after-ms", or "retry-after" as seconds or as a date. */
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
