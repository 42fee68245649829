import { AppError } from "../contract/app-error.ts";

/** Whoever asked no longer wants the answer: the turn ends with what it has said so far. */
export class TurnStopped extends AppError {
  readonly said: string;

  constructor(said = "") {
    super("stopped", "the person who asked has stopped the answer");
    this.said = said;
  }
}
