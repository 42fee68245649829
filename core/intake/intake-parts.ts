import type { InboundTurns } from "../a2a/inbound/inbound-turns.ts";
import type { AskersMet } from "../people/askers-met.ts";
import type { ScheduleParts } from "../schedules/schedule-parts.ts";
import type { SessionFinder } from "../sessions/session-finder.ts";
import type { SessionHistory } from "../sessions/session-history.ts";
import type { SubtaskParts } from "../subtasks/subtask-parts.ts";
import type { BackgroundWork } from "../turns/background-work.ts";
import type { RunningTurns } from "../turns/running-turns.ts";

export interface IntakeParts extends SubtaskParts, ScheduleParts {
  readonly history: SessionHistory;
  readonly sessions: SessionFinder;
  readonly askers: AskersMet;
  readonly background: BackgroundWork;
  readonly turns: RunningTurns;
  readonly inbound: InboundTurns;
  /** Aborted with TurnYielded when this process must let go of its turns. */
  readonly stopping: AbortSignal;
  readonly turnDeadlineMs: number;
  readonly maxWindowEntries: number;
}
