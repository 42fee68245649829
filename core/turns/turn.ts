import type { Budgets } from "../budgets/index.ts";
import type { Approvals } from "../contract/approvals.ts";
import type { FileRef } from "../contract/file-ref.ts";
import type { AgentRef } from "../contract/messages/addresses.ts";
import type { ReplyAction } from "../contract/messages/agent-reply.ts";
import type { DeliveryDefaults } from "../contract/messages/delivery-policy.ts";
import type { QuotedMessage } from "../contract/messages/user-message.ts";
import type { Bus } from "../contract/ports/bus.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { Moderator } from "../contract/ports/moderator.ts";
import type { Store } from "../contract/ports/store.ts";
import type { Checkpoint, Meter, ToolCallLog, Tracer } from "../contract/ports/telemetry.ts";
import type { Tool, ToolSource } from "../contract/tool.ts";
import type { FilesConfig } from "../files/index.ts";
import type { AgentModel, ChatMessage } from "../model/index.ts";
import type { Rights } from "../rights/index.ts";
import type { SessionWindow } from "../sessions/index.ts";
import type { EarlierCall } from "./earlier-calls.ts";
import type { DelegationConfig, PeeringConfig } from "./limits/index.ts";
import type { Journal, TurnRecord } from "./record/index.ts";
import type { TurnFailure } from "./turn-failures.ts";

/** A configured persona, ready to run. */
export interface Agent {
  readonly name: string;
  readonly tenant: string;
  readonly model: AgentModel;
  /** Other models that a subtask may run on, by name. */
  readonly subtaskModels?: ReadonlyMap<string, AgentModel> | undefined;
  /** The system prompt of every turn. */
  readonly directives?: string | undefined;
  /** The maximum of tool rounds in one turn; then the model must answer. */
  readonly maxToolRounds: number;
  /** The context size of the model. */
  readonly contextTokens: number;
  /** Concurrent turns of one person in a process; further messages wait. */
  readonly maxTurnsPerPerson: number;
  readonly tools: readonly Tool[];
  /** Absent: the tools of the list are all tools. */
  readonly toolSource?: ToolSource | undefined;
  /** One line about each program whose tools cannot be reached in this turn. */
  readonly unavailableTools?: readonly string[];
  readonly rights: Rights;
  /** Of files that people send. */
  readonly files: Pick<FilesConfig, "keepDays">;
  /** Schedules that repeat pause if their owner has not written for this long. */
  readonly pauseSchedulesAfterDays: number;
  /** Absent: nothing limits or records what its work costs. */
  readonly budgets?: Budgets | undefined;
  readonly delegation: DelegationConfig;
  readonly peering: PeeringConfig;
  /** The operator's settings for proactive messages, by channel. */
  readonly defaultsOn: (channel: string) => DeliveryDefaults;
}

/** The ports that core runs on. */
export interface CoreDeps {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly checkpoint: Checkpoint;
  /** Absent: telemetry is off. */
  readonly tracer?: Tracer | undefined;
  /** Absent: operators have no list of tool calls. */
  readonly toolCalls?: ToolCallLog | undefined;
  /** Absent: calls that need an approval are denied. */
  readonly approvals?: Approvals | undefined;
  /** Absent: nothing is checked. */
  readonly moderator?: Moderator | undefined;
  /** Absent: progress of tool calls is not shown. */
  readonly toolProgress?: ToolProgress | undefined;
}

/** A running tool call of a turn. */
export interface ReportingCall extends AgentRef {
  readonly record: TurnRecord;
  readonly step: number;
  /** The idempotency key. */
  readonly key: string;
  readonly tool: string;
}

/** Shows people how far long tool calls are. A port, because turns cannot send messages. */
export interface ToolProgress {
  note(call: ReportingCall, note: string): void;
  /** Called for every call, also for those without a note. */
  ended(call: ReportingCall, failed: boolean): Promise<void>;
}

/** One run of the agent loop for one session, in this process. */
export interface Turn {
  readonly agent: Agent;
  readonly record: TurnRecord;
  /** The prompt, in the form that the model reads. */
  readonly text: string;
  /** The prompt without the author's name; absent if the prompt has none. */
  readonly unsignedText?: string | undefined;
  /** The message that the prompt replies to. */
  readonly quoted?: QuotedMessage | undefined;
  /** Pictures of the prompt. */
  readonly images?: readonly FileRef[] | undefined;
  readonly window: SessionWindow;
  /** The prompt holds text of files or of other agents. */
  readonly hasForeignText?: boolean | undefined;
  /** Entries of the lasting memory, for this turn only: after the prompt, because the text before it can be cached. */
  readonly memoryNote?: string | undefined;
  /** Additional context for the model, for this turn only. */
  readonly systemNote?: string | undefined;
  /** Calls that ran for an earlier version of the message; the same call is not run again. */
  readonly earlierCalls?: readonly EarlierCall[] | undefined;
  readonly journal: Journal;
  readonly logger: Logger;
  /** Aborted with TurnYielded, TurnTimedOut, TurnCancelled or TurnStopped. */
  readonly signal: AbortSignal;
  /** The id under which waiting clients receive the text as it is written. Absent: no client is waiting. */
  readonly streamId: string | undefined;
  /** Grows with every call: clients discard the text of an older attempt. */
  nextAttempt(): number;
  /** Messages that arrived during the turn; called before each step. Rejects if the turn is over. */
  interject?(): Promise<readonly ChatMessage[]>;
  /** Texts about work in progress that are new since the step before; called before each step with its messages. */
  updates?(messages: readonly ChatMessage[]): Promise<readonly string[]>;
  /** Called when the model rejected the window as too long; the turn continues with the result. */
  shrink(window: SessionWindow): Promise<SessionWindow>;
}

export interface TurnEnd {
  readonly outcome: "answered" | "nothing" | "failed" | "cancelled";
  readonly finalText: string;
  /** The cause, if the outcome is "failed". */
  readonly failure?: TurnFailure;
  /** Buttons of the answer. */
  readonly actions?: ReplyAction[];
  /** Files of the tools, or of the agent elsewhere that answered. */
  readonly files?: FileRef[];
  /** The label of the model that wrote the answer, if the agent has several. */
  readonly model?: string;
  /** Tool calls and their results. */
  readonly messages: readonly ChatMessage[];
}
