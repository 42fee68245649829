/** The budgets of the work that a tool call belongs to (R2). A refusal is a text for the model and for people. */
export interface WorkBudget {
  /** Takes from the budgets of the day. Undefined: taken. Otherwise nothing was taken, and the text says why. */
  take(amounts: TakenAmounts): Promise<string | undefined>;
  /** Returns amounts that were taken and not used. */
  giveBack(amounts: TakenAmounts): void;
  /**
   * Counts things that stay open until they end, by name, so that a repeated call counts them once. `isOpen` finds out
   * which counted ones have ended.
   */
  open(
    kind: OpenKind,
    names: readonly string[],
    isOpen: (name: string) => Promise<boolean>,
  ): Promise<string | undefined>;
}

export interface TakenAmounts {
  readonly subtasks?: number;
  readonly bytes?: number;
}

export type OpenKind = "subtasks" | "schedules";
