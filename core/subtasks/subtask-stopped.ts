import { AppError } from "../contract/app-error.ts";

/** The subtask has ended elsewhere, or its time is up: whoever works on it stops. */
export class SubtaskStopped extends AppError {
  constructor(id: string) {
    super("stopped", `${id} is to be worked on no longer`);
  }
}
