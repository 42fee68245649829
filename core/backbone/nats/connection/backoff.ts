import { messageOf } from "../../../contract/app-error.ts";
import type { Clock } from "../../../contract/ports/clock.ts";
import type { Logger } from "../../../contract/ports/logger.ts";

interface BackoffDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** The log messages of the first failure and of the recovery. */
  readonly failing: string;
  readonly recovered: string;
}

/** Growing retry pauses with jitter for one dependency of this process. Logs the first failure and the recovery. */
export class Backoff {
  readonly #deps: BackoffDeps;
  #failures = 0;
  #failingSince = 0;

  constructor(deps: BackoffDeps) {
    this.#deps = deps;
  }

  /** Returns the pause before the next attempt, in milliseconds. */
  failed(error: unknown, fields: Readonly<Record<string, unknown>> = {}): number {
    const { clock, failing, logger, random } = this.#deps;
    if (this.#failures === 0) {
      this.#failingSince = clock.monotonic();
      logger.warn({ ...fields, error: messageOf(error) }, failing);
    }
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, MAX_DOUBLINGS), MAX_PAUSE_MS);
    this.#failures++;
    return pauseMs * (0.5 + random() / 2);
  }

  succeeded(): void {
    if (this.#failures === 0) return;
    const { clock, logger, recovered } = this.#deps;
    const afterMs = Math.round(clock.monotonic() - this.#failingSince);
    logger.info({ failures: this.#failures, afterMs }, recovered);
    this.#failures = 0;
  }
}

const FIRST_PAUSE_MS = 300;
/** Short enough that work resumes within seconds after a cluster is back. */
const MAX_PAUSE_MS = 3_000;
const MAX_DOUBLINGS = 10;
