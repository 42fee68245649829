import type { CommandDeps } from "../commands/command.ts";
import type { AskerCache } from "../people/asker-cache.ts";
import type { SessionFinder } from "../sessions/session-finder.ts";
import type { BackgroundWork } from "../turns/background-work.ts";
import type { TurnFeatures } from "../turns/turn-source.ts";

export interface IntakeParts extends CommandDeps {
  readonly sessions: SessionFinder;
  readonly askers: AskerCache;
  readonly background: BackgroundWork;
  readonly features: TurnFeatures;
  /** Aborted with TurnYielded when this process must let go of its turns. */
  readonly stopping: AbortSignal;
  readonly turnDeadlineMs: number;
  readonly maxWindowEntries: number;
}
