import type { ModelFailure } from "../model-failed.ts";
import type { Complaint } from "./complaint.ts";

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
