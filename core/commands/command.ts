import type { ApprovalDeps } from "../approvals/index.ts";
import type { BudgetService } from "../budgets/index.ts";
import type { ReplyAction } from "../contract/messages/agent-reply.ts";
import type { DeliveryDefaults } from "../contract/messages/delivery-policy.ts";
import type { Subtask } from "../contract/messages/subtask.ts";
import type { CommandMessage } from "../contract/messages/user-message.ts";
import type { ViewerTime } from "../contract/relative-time.ts";
import type { Need, Permit } from "../contract/rights.ts";
import type { Texts } from "../contract/texts/texts.ts";
import { type Caller, callerAt } from "../delivery/index.ts";
import type { ScheduleDeps } from "../schedules/index.ts";
import type { SessionHistory } from "../sessions/index.ts";
import { openWorkFor } from "../subtasks/index.ts";
import type { RunningTurns } from "../turns/index.ts";
import type { TurnRecord } from "../turns/record/index.ts";

/** The dependencies of all commands. */
export interface CommandDeps extends ApprovalDeps, ScheduleDeps {
  readonly turns: RunningTurns;
  readonly history: SessionHistory;
  readonly budgets: Pick<BudgetService, "of">;
}

export interface CommandCall {
  readonly deps: CommandDeps;
  readonly message: CommandMessage;
  /** The text after the name, trimmed. */
  readonly args: string;
  /** The operator's settings for proactive messages on this channel. */
  readonly defaults: DeliveryDefaults;
  /** Session, asker and audience, fixed at the first delivery of the command. */
  readonly record: TurnRecord;
  /** The rights of the caller (R1). */
  readonly permit: Permit;
  /** The caller's time zone and locale, else those of the channel. */
  readonly viewer: ViewerTime;
  /** The texts in the caller's language. */
  readonly texts: Texts;
}

export interface CommandAnswer {
  readonly markdown: string;
  readonly actions?: ReplyAction[];
  readonly data?: Record<string, unknown>;
  /** The new session of the conversation, if the command changes it. */
  readonly sessionId?: string;
}

/**
 * A command that Mooring answers without the model (I3). Pressing a button is a command too. `help` and the menus of
 * platforms list the commands that `menu` of the texts describes; people reach the others by buttons only.
 */
export interface Command {
  readonly name: string;
  /** The right that its caller needs (R1). */
  readonly needs: Need;
  /** The name of its argument in the menus of platforms, if it has one and `menu` of the texts describes it. */
  readonly argument?: string;
  /** The command's syntax, if it takes arguments. */
  readonly usage?: string;
  /** Only the caller sees the answer in a shared conversation. */
  readonly privately: boolean;
  /** Takes effect exactly between two messages. Other commands do not wait for a running turn. */
  readonly inOrder?: boolean;
  /** Must be idempotent: after a crash it runs again for the same message. */
  run(call: CommandCall): Promise<CommandAnswer>;
}

/** The person who gives a command. */
export const callerOf = ({ deps: { store }, message }: CommandCall): Promise<Caller> =>
  callerAt(store, { ...message, accountId: message.account.id });

/** The running subtasks of the caller over all their accounts, oldest first. */
export const workFor = async ({ deps: { store }, message }: CommandCall, caller: Caller): Promise<readonly Subtask[]> =>
  (await openWorkFor(store, message, caller)).subtasks;
