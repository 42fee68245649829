import { AppError } from "../contract/app-error.ts";
import type { ReplyAction } from "../contract/messages/agent-reply.ts";

/** A budget does not admit the work. The message is for people. */
export class BudgetRefused extends AppError {
  readonly actions: readonly ReplyAction[];

  constructor(text: string, actions: readonly ReplyAction[] = []) {
    super("rate-limited", text);
    this.actions = actions;
  }
}
