import { AppError } from "../contract/app-error.ts";

/** Nobody wants the turn's answer any more: it ends without one. */
export class TurnCancelled extends AppError {
  constructor() {
    super("stopped", "the turn was cancelled by who asked for it");
  }
}
