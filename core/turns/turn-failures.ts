import { AppError } from "../contract/app-error.ts";
import type { ModelFailure } from "../model/index.ts";

// The reason of a turn's abort signal is one of these errors.

/** This process must leave the turn. The process that runs it next continues from the journal. */
export class TurnYielded extends AppError {
  constructor(why: "another process has taken the turn over" | "this process is stopping") {
    super("stopped", why);
  }
}

/** The turn exceeded its deadline: it ends with a failure text for the person. */
export class TurnTimedOut extends AppError {
  constructor(deadlineMs: number) {
    super("unavailable", `the turn exceeded its deadline of ${deadlineMs} ms`);
  }
}

/** The requesting agent cancelled its request: the turn ends without an answer. */
export class TurnCancelled extends AppError {
  constructor() {
    super("stopped", "the requester cancelled the turn");
  }
}

/** The asking person stopped the answer: the turn ends with the text written so far. */
export class TurnStopped extends AppError {
  readonly text: string;

  constructor(text = "") {
    super("stopped", "the asking person stopped the answer");
    this.text = text;
  }
}

export type TurnFailure = ModelFailure | "turn-timeout" | "no-answer" | "budget" | "internal";

/** The chat text of a failed turn: it says how to proceed and shows no internals. */
export const failureText: Readonly<Record<TurnFailure, string>> = {
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
  budget: "Today's budget is used up. `/budget` shows when it renews.",
  internal: "Something went wrong, and I could not answer your message. The operator of this service can look into it.",
};
