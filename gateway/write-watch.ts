import type { Backbone, WriteAvailability } from "../core/contract/ports/backbone.ts";
import type { Listener } from "../core/contract/ports/bus.ts";
import type { Clock, Timer } from "../core/contract/ports/clock.ts";
import type { Logger } from "../core/contract/ports/logger.ts";

interface WriteWatchDeps {
  readonly backbone: Pick<Backbone, "writeProblem" | "onHealthChange">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** After a call of the backbone. A problem that comes and goes faster is reported once. */
const CHECK_AFTER_MS = 50;
/** Covers changes without a call. Shorter periods cost CPU at rest. */
const CHECK_EVERY_MS = 1_000;

/** Notifies every entrance of this gateway when the backbone stops storing and when it recovers. */
export class WriteWatch implements WriteAvailability {
  readonly #deps: WriteWatchDeps;
  readonly #listeners = new Set<() => void>();
  #wasWritable = true;
  readonly #health: Listener;
  #timer: Timer | undefined;
  #isCheckingSoon = false;

  constructor(deps: WriteWatchDeps) {
    this.#deps = deps;
    this.#health = deps.backbone.onHealthChange(() => this.#checkSoon());
    this.#schedule(CHECK_EVERY_MS);
  }

  get problem(): string | undefined {
    return this.#deps.backbone.writeProblem();
  }

  onChange(listener: () => void): Listener {
    // Wrapped, because the same function may be registered twice.
    const own = () => listener();
    this.#listeners.add(own);
    return { close: () => void this.#listeners.delete(own) };
  }

  stop(): void {
    this.#health.close();
    this.#timer?.cancel();
  }

  #checkSoon(): void {
    if (this.#isCheckingSoon) return;
    this.#isCheckingSoon = true;
    this.#schedule(CHECK_AFTER_MS);
  }

  #schedule(afterMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#deps.clock.after(afterMs, () => {
      this.#isCheckingSoon = false;
      this.#schedule(CHECK_EVERY_MS);
      this.#check();
    });
  }

  #check(): void {
    const { problem } = this;
    const isWritable = problem === undefined;
    if (isWritable === this.#wasWritable) return;
    this.#wasWritable = isWritable;
    if (isWritable) this.#deps.logger.info({}, "accepting messages again");
    else this.#deps.logger.warn({ reason: problem }, "refusing messages, nothing can be stored");
    for (const listener of [...this.#listeners]) listener();
  }
}
