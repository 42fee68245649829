import { AppError } from "../contract/app-error.ts";

// A turn's abort signal carries one of these as its reason.

/** This process must leave the turn. The process that runs it next continues from the journal. */
export class TurnYielded extends AppError {
  constructor(why: "another process has taken the turn over" | "this process is stopping") {
    super("stopped", why);
  }
}

/** The turn exceeded its deadline: it ends with a failure text for the person. */
export class TurnTimedOut extends AppError {
  constructor(afterMs: number) {
    super("unavailable", `the turn was not done after ${afterMs} ms`);
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
  readonly said: string;

  constructor(said = "") {
    super("stopped", "the asking person stopped the answer");
    this.said = said;
  }
}
