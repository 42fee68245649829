import { AppError } from "../contract/app-error.ts";

/** This process has no business with the turn any more; whoever runs it next goes on from the journal. */
export class TurnYielded extends AppError {
  constructor(why: "another process has taken the turn over" | "this process is stopping") {
    super("stopped", why);
  }
}
