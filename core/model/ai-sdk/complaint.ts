import { APICallError } from "ai";

/** What a provider says about a request it did not fulfil. */
export interface Complaint {
  /** Everything it said, to search for known phrases. May quote the prompt: never shown. */
  readonly words: string;
  /** Its short codes, e.g. "invalid_request_error": safe to show once secrets are taken out. */
  readonly codes: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

const LONGEST_WORDS = 20_000;

export const complaintOf = (error: unknown): Complaint => {
  if (APICallError.isInstance(error)) {
    const words = (error.responseBody ?? "").slice(0, LONGEST_WORDS);
    return { words, codes: codesIn(parsed(words)), headers: error.responseHeaders ?? {} };
  }
  // An error inside a stream arrives as the provider's own object.
  const words = error instanceof Error ? "" : (safeJson(error) ?? "").slice(0, LONGEST_WORDS);
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
