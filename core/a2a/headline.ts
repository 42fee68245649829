import { cutAtGraphemes, MAX_SUMMARY_GRAPHEMES, summarisePrompt } from "../lib/index.ts";
import { redactInternalIds } from "./redact-internal-ids.ts";

/** More of a message than a headline can show; it bounds the work for a long one. */
const LOOKED_AT_CHARS = 1_000;

/** What people read about a message to another agent: a short sentence, never an internal name (A6). */
export const headlineOf = (peer: string, message: string): string => {
  const about = redactInternalIds(message.slice(0, LOOKED_AT_CHARS));
  const headline = about === "" ? `Asking ${peer}` : `Asking ${peer}: ${summarisePrompt(about)}`;
  return cutAtGraphemes(headline, MAX_SUMMARY_GRAPHEMES);
};
