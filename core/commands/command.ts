import type { ReplyAction } from "../contract/agent-reply.ts";
import type { UserMessage } from "../contract/user-message.ts";
import type { ScheduleDeps } from "../schedules/index.ts";
import type { SessionHistory } from "../sessions/index.ts";
import type { SubtaskParts } from "../subtasks/index.ts";
import type { RunningTurns, TurnRecord } from "../turns/index.ts";

/** What commands work with. */
export interface CommandDeps extends SubtaskParts, ScheduleDeps {
  readonly turns: RunningTurns;
  readonly history: SessionHistory;
}

export interface CommandCall {
  readonly parts: CommandDeps;
  readonly message: UserMessage;
  /** What stands behind the name, without white space around it. */
  readonly args: string;
  /** Session, asker and audience, fixed when the command was first seen. */
  readonly record: TurnRecord;
}

export interface CommandAnswer {
  readonly markdown: string;
  readonly actions?: ReplyAction[];
  readonly data?: Record<string, unknown>;
  /** The session that the conversation is in from now on; absent: the same as before. */
  readonly sessionId?: string;
}

/** Something a person can tell the agent's house rather than its model (I3). Pressing a button is a command too. */
export interface Command {
  readonly name: string;
  /** One line for `help`; a command without one is only reached by buttons. */
  readonly summary?: string;
  /** How it is written, if it takes something behind its name. */
  readonly usage?: string;
  /** In a shared conversation only the caller sees the answer. */
  readonly privately: boolean;
  /** Takes effect exactly between two messages; all others do not wait for a turn under way. */
  readonly inOrder?: boolean;
  /** May be called again for the same message, if its process died: it then answers, and changes nothing twice. */
  run(call: CommandCall): Promise<CommandAnswer>;
}
