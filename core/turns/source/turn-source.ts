import type { FileRef } from "../../contract/file-ref.ts";
import type { SyntheticType } from "../../contract/messages/synthetic.ts";
import type {
  QuotedMessage,
  SyntheticMessage,
  SyntheticMessageOf,
  TurnMessage,
} from "../../contract/messages/user-message.ts";
import type { ChatMessage } from "../../model/index.ts";
import type { SessionWindow, TurnEntry } from "../../sessions/index.ts";
import type { TurnRecord } from "../record/index.ts";
import type { Agent, TurnEnd } from "../turn.ts";

/** The input that starts a turn, in the form that the model reads. */
export interface TurnPrompt {
  readonly text: string;
  /** The text without the author's name, for agents that may not know it (R7); absent if the text has none. */
  readonly unsignedText?: string;
  /** The message that the text replies to; the model sees it in this turn only. */
  readonly quoted?: QuotedMessage;
  /** The text that later turns see, if it is shorter: without the content of long files. */
  readonly historyText?: string;
  /** Pictures of the message. */
  readonly images?: readonly FileRef[];
  /** The answer itself, if it is known already: the model is not called. */
  readonly answer?: string;
  /** Shown to people if the model fails; if absent, they see a failure text. */
  readonly fallbackText?: string;
  /** The turn may not end with `nothing_to_say`. */
  readonly mustReply: boolean;
  /** The work is already done: the turn is skipped. */
  readonly obsolete: boolean;
  /** Rounds of tool calls, if fewer than the agent's own. */
  readonly toolRounds?: number;
  /** It holds text of files, or quotes a message. */
  readonly hasForeignText?: boolean;
  /** A person or a calling agent wrote it, so moderation checks it. */
  readonly isFromOutside?: boolean;
  /** Files of the reported work, which the answer sends. */
  readonly files?: readonly FileRef[];
  /** Applied to the answer before people see it. */
  postProcess?(text: string): string;
}

/** The prompt of each type of turn that a feature starts. `core/turn-features.ts` joins those of all features. */
export type TurnSources = {
  readonly [T in SyntheticType]: (agent: Agent, message: SyntheticMessageOf<T>) => TurnPrompt | Promise<TurnPrompt>;
};

/** The progress of the request that a turn works on. "new": not stored yet. */
export type RequestState = "new" | "open" | "ended";

/** An agent, rather than a person, that the turn of one message works for and that receives its result. */
export interface TurnRequester {
  /** The agent with the tools that it may use for this requester. */
  agentFor(agent: Agent): Agent;
  /** Hands over the result. Idempotent. */
  settle(agent: Agent, result: TurnResult, state?: RequestState): Promise<unknown>;
  /** A turn of this deployment may wait for the result, so this turn takes no place among those that run at once (R2). */
  readonly isAwaitedByTurn?: boolean;
  /** The result may be stored at the same time as the turn's history entry. */
  readonly settlesAlongside?: boolean;
  /** Absent: a request is always open. */
  stateOf?(seenBefore: boolean): Promise<RequestState>;
  /** The request ended but its turn was not recorded: adds the missing history entry. */
  backfill?(text: string, turn: RecordedTurn): Promise<void>;
  /** A note for the model about the requester. */
  systemNote?(): string | undefined;
  /** The id under which the requester receives the text as it is written. */
  streamId?(agent: Agent, record: TurnRecord): string | undefined;
  /** Called when the turn starts; `stop` ends it early. The caller calls the result when the turn ends. */
  begin?(stop: () => void): () => void;
}

/** Undefined: the message is not from an agent that this feature serves. */
export type FindRequester = (message: SyntheticMessage) => TurnRequester | undefined;

export interface RecordedTurn {
  readonly record: TurnRecord;
  readonly window: SessionWindow;
}

export type TurnResult = Pick<TurnEntry, "outcome" | "finalText" | "delegated" | "suppressed" | "files">;

/** The end of a turn, with the state of its delegated work. */
export interface FinishedTurn extends TurnEnd {
  /** The batch of the turn must be sealed. */
  readonly delegated?: true;
  /** The answer must still include results of delegated work. */
  readonly isAwaited?: true;
}

interface EndedTurn {
  readonly agent: Agent;
  readonly message: TurnMessage;
  readonly record: TurnRecord | undefined;
  /** Undefined: the turn was never recorded. */
  readonly entry: TurnEntry | undefined;
  /** The message of the turn became a dead letter. */
  readonly isDeadLetter: boolean;
}

/** Texts for the model about work in progress that are new since the step before. */
export type TurnUpdates = (messages: readonly ChatMessage[]) => Promise<readonly string[]>;

/** A feature that takes part in turns. Turns of people that were answered without a tool call skip it. */
export interface TurnHook {
  /**
   * Called once, when the session has delegated work or the turn has called a tool. The result is called before each
   * step, with the messages of the turn so far.
   */
  updates?(agent: Agent, turn: RecordedTurn): TurnUpdates;
  /** May change the end of the turn before it is stored. */
  finish?(agent: Agent, record: TurnRecord, end: TurnEnd): Promise<FinishedTurn>;
  /** After the result is published and before the message is acknowledged. Idempotent. */
  onEnd?(turn: EndedTurn): Promise<void>;
}

export interface TurnFeatures {
  readonly sources: TurnSources;
  readonly requesters: readonly FindRequester[];
  readonly hooks: readonly TurnHook[];
}
