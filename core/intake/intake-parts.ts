import type { SessionFinder } from "../sessions/session-finder.ts";
import type { SessionHistory } from "../sessions/session-history.ts";
import type { BackgroundWork } from "../turns/background-work.ts";
import type { CoreParts } from "../turns/turn.ts";

export interface IntakeParts extends CoreParts {
  readonly history: SessionHistory;
  readonly sessions: SessionFinder;
  readonly background: BackgroundWork;
  /** Aborted with TurnYielded when this process must let go of its turns. */
  readonly stopping: AbortSignal;
  readonly turnDeadlineMs: number;
  readonly maxWindowEntries: number;
}
