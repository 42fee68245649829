import type { ModelFailure } from "../model/index.ts";

export type Trouble = ModelFailure | "turn-timeout" | "no-answer" | "internal";

/** The chat text of a failed turn: it says how to proceed and shows no internals. */
export const failureText: Readonly<Record<Trouble, string>> = {
  "rate-limited": "I am being asked too much at the moment. Please send your message again in a minute.",
  timeout: "I did not get an answer together in time. Please send your message again.",
  unreachable: "I cannot reach my language model at the moment. Please send your message again in a few minutes.",
  credentials:
    "My language model does not accept my credentials. Please tell whoever runs this service; trying again will not help.",
  "context-too-long":
    "This conversation, or your message, has become too long for me. Use the command `new` to start afresh, or send something shorter.",
  overloaded: "My language model is overloaded at the moment. Please send your message again in a few minutes.",
  "bad-answer": "I could not make sense of what my language model answered. Please send your message again.",
  refused: "My language model declined to answer this. Putting it in other words may help.",
  cancelled: "This was cancelled before I could answer.",
  "turn-timeout": "This took longer than I may spend on one message. Try asking for it in smaller steps.",
  "no-answer": "I used all the steps I have for one message without coming to an answer. Try asking for a part of it.",
  internal:
    "Something went wrong here and your message could not be answered. It was kept for whoever runs this service.",
};
