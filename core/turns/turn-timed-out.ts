import { AppError } from "../contract/app-error.ts";

/** The turn as a whole took too long: it ends with a word to the person. */
export class TurnTimedOut extends AppError {
  constructor(afterMs: number) {
    super("unavailable", `the turn was not done after ${afterMs} ms`);
  }
}
