import { messageOf } from "../../contract/app-error.ts";
import type { Clock } from "../../contract/clock.ts";
import type { Logger } from "../../contract/logger.ts";

export interface BackoffDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** What fails, as log lines name it. */
  readonly dependency: string;
}

/** Retry pauses for one dependency of this process: they grow with jitter. Logs once when it fails, once when it recovers. */
export class Backoff {
  readonly #deps: BackoffDeps;
  #failures = 0;
  #failingSince = 0;

  constructor(deps: BackoffDeps) {
    this.#deps = deps;
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Returns the pause before the next attempt, in milliseconds. */
  failed(error: unknown, fields: Readonly<Record<string, unknown>> = {}): number {
    const { clock, dependency, logger, random } = this.#deps;
    if (this.#failures === 0) {
      this.#failingSince = clock.monotonic();
      logger.warn({ ...fields, dependency, error: messageOf(error) }, "dependency failing, retrying");
    }
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, MAX_DOUBLINGS), MAX_PAUSE_MS);
    this.#failures++;
    return pauseMs * (0.5 + random() / 2);
  }

  recovered(): void {
    if (this.#failures === 0) return;
    const { clock, dependency, logger } = this.#deps;
    const afterMs = Math.round(clock.monotonic() - this.#failingSince);
    logger.info({ dependency, failures: this.#failures, afterMs }, "dependency recovered");
    this.#failures = 0;
  }
}

const FIRST_PAUSE_MS = 300;
/** Short enough that work resumes within seconds of a cluster's return. */
const MAX_PAUSE_MS = 3_000;
const MAX_DOUBLINGS = 10;
