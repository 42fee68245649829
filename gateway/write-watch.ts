import type { Backbone, WriteAvailability } from "../core/contract/ports/backbone.ts";
import type { Listener } from "../core/contract/ports/bus.ts";
import type { Clock, Timer } from "../core/contract/ports/clock.ts";
import type { Logger } from "../core/contract/ports/logger.ts";

interface WriteWatchDeps {
  readonly backbone: Pick<Backbone, "writeProblem">;
  readonly clock: Clock;
  readonly logger: Logger;
}

const CHECK_EVERY_MS = 50;

/** Notifies every entrance of this gateway when the backbone stops storing and when it recovers. */
export class WriteWatch implements WriteAvailability {
  readonly #deps: WriteWatchDeps;
  readonly #listeners = new Set<() => void>();
  #wasWritable = true;
  #timer: Timer | undefined;

  constructor(deps: WriteWatchDeps) {
    this.#deps = deps;
    this.#schedule();
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
    this.#timer?.cancel();
  }

  #schedule(): void {
    this.#timer = this.#deps.clock.after(CHECK_EVERY_MS, () => {
      this.#schedule();
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
