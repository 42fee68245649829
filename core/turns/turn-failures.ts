import { AppError } from "../contract/app-error.ts";
import type { WorkContext } from "../contract/messages/work-context.ts";
import { english, type Texts, textsFor } from "../contract/texts/texts.ts";
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

/** The texts for the reader of a turn's result: English for a model that delegated the work, else the asker's language. */
export const textsOf = ({ asker, standing }: Pick<WorkContext, "asker" | "standing">): Texts =>
  standing.subtaskId === undefined && standing.owner.worksFor === undefined ? textsFor(asker.locale) : english;
