import type { Bus } from "../contract/bus.ts";
import type { Checkpoint } from "../contract/checkpoint.ts";
import type { Clock } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";
import type { Meter } from "../contract/meter.ts";
import type { Store } from "../contract/store.ts";
import type { Tracer } from "../contract/tracer.ts";
import type { ChatMessage } from "../model/index.ts";
import type { SessionWindow } from "../sessions/index.ts";
import type { Agent } from "./agent.ts";
import type { Trouble } from "./failure-text.ts";
import type { Journal } from "./journal.ts";
import type { TurnRecord } from "./turn-record.ts";

/** What core runs on. */
export interface CoreParts {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly checkpoint: Checkpoint;
  /** Absent: nobody is told. */
  readonly tracer?: Tracer | undefined;
}

/** One run of the agent loop for one session, here and now. */
export interface Turn {
  readonly agent: Agent;
  readonly record: TurnRecord;
  /** What the person said, as the model is shown it. */
  readonly text: string;
  readonly window: SessionWindow;
  /** What else it may know, for this turn only. */
  readonly aside?: string | undefined;
  readonly journal: Journal;
  readonly logger: Logger;
  /** Aborted with TurnYielded, TurnTimedOut, TurnCancelled or TurnStopped. */
  readonly signal: AbortSignal;
  /** The id under which waiting clients receive the text as it is written. Absent: no client is waiting. */
  readonly streamId: string | undefined;
  /** Grows with every call: text of an older attempt is thrown away by who shows it. */
  nextAttempt(): number;
  /** What somebody said to it meanwhile; asked before each step. Rejects if the turn is over. */
  interject?(): Promise<readonly ChatMessage[]>;
  /** Makes room after the model refused the window as too long; the turn goes on with the result. */
  shrink(window: SessionWindow): Promise<SessionWindow>;
}

export interface TurnEnd {
  readonly outcome: "answered" | "nothing" | "failed" | "cancelled";
  readonly finalText: string;
  /** Why it failed. */
  readonly trouble?: Trouble;
  /** Tool calls and their results on the way. */
  readonly messages: readonly ChatMessage[];
}
