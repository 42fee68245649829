import type { CommandDeps } from "../commands/index.ts";
import type { AskerCache, LastSeen } from "../people/index.ts";
import type { BlockedAccounts } from "../rights/index.ts";
import type { SessionFinder } from "../sessions/index.ts";
import type { BackgroundWork } from "../turns/index.ts";
import type { TurnFeatures } from "../turns/source/index.ts";
import type { AwaitedFiles } from "./awaited-files.ts";

export interface IntakeDeps extends CommandDeps {
  readonly sessions: SessionFinder;
  readonly askers: AskerCache;
  readonly lastSeen: LastSeen;
  readonly blocked: BlockedAccounts;
  readonly background: BackgroundWork;
  readonly features: TurnFeatures;
  readonly awaitedFiles: AwaitedFiles;
  /** Aborted with TurnYielded when this process must hand over its turns. */
  readonly stopping: AbortSignal;
  readonly turnDeadlineMs: number;
  readonly maxWindowEntries: number;
}
