import type { ModelFailure } from "../model/index.ts";

export type Trouble = ModelFailure | "turn-timeout" | "no-answer" | "internal";

/** The chat text of a failed turn: it says how to proceed and shows no internals. */
export const failureText: Readonly<Record<Trouble, string>> = {
  "rate-limited": "I have too much to do right now. Please send your message again in a minute.",
  timeout: "I did not finish my answer in time. Please send your message again.",
  unreachable: "I cannot reach my language model right now. Please send your message again in a few minutes.",
  credentials:
    "My language model does not accept my credentials. Please tell the operator of this service; sending it again will not help.",
  "context-too-long":
    "This conversation or your message is too long for me. Start a new session with `/new`, or send something shorter.",
  overloaded: "My language model is overloaded right now. Please send your message again in a few minutes.",
  "bad-answer": "My language model gave me an answer that I could not use. Please send your message again.",
  refused: "My language model declined to answer this. Try asking in other words.",
  cancelled: "This was cancelled before I could answer.",
  "turn-timeout": "This took longer than I may spend on one message. Try asking for it in smaller steps.",
  "no-answer": "I used all the steps I have for one message and found no answer. Try asking for a part of it.",
  internal: "Something went wrong, and I could not answer your message. The operator of this service can look into it.",
};
