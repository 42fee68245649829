import { cutAtGraphemes, MAX_SUMMARY_GRAPHEMES, summarisePrompt } from "../lib/summarise-prompt.ts";

/** What people read about a message to another agent: a short sentence, never an internal name (A6). */
export const headlineOf = (peer: string, message: string): string =>
  cutAtGraphemes(`Asking ${peer}: ${summarisePrompt(message)}`, MAX_SUMMARY_GRAPHEMES);
