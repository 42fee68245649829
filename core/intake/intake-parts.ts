import type { InboundTurns } from "../a2a/inbound/inbound-turns.ts";
import type { CommandDeps } from "../commands/command.ts";
import type { AskersMet } from "../people/askers-met.ts";
import type { SessionFinder } from "../sessions/session-finder.ts";
import type { BackgroundWork } from "../turns/background-work.ts";

export interface IntakeParts extends CommandDeps {
  readonly sessions: SessionFinder;
  readonly askers: AskersMet;
  readonly background: BackgroundWork;
  readonly inbound: InboundTurns;
  /** Aborted with TurnYielded when this process must let go of its turns. */
  readonly stopping: AbortSignal;
  readonly turnDeadlineMs: number;
  readonly maxWindowEntries: number;
}
