import { messageOf } from "../contract/app-error.ts";
import type { Logger } from "../contract/ports/logger.ts";
import { TurnYielded } from "./turn-failures.ts";

/** Best-effort work without a waiting user. A crash may lose it; the next need starts it again. */
export class BackgroundWork {
  readonly #logger: Logger;
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Does nothing if work of this name is running. */
  start(name: string, work: (signal: AbortSignal) => Promise<unknown>): void {
    if (this.#running.has(name) || this.#stopping.signal.aborted) return;
    this.#running.set(name, this.#run(name, work));
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new TurnYielded("this process is stopping"));
    await Promise.all(this.#running.values());
  }

  async #run(name: string, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    try {
      await work(this.#stopping.signal);
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        this.#logger.warn({ name, error: messageOf(error) }, "background work failed");
    } finally {
      this.#running.delete(name);
    }
  }
}
