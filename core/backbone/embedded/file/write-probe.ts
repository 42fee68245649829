import type { Clock, Timer } from "../../../contract/ports/clock.ts";
import type { Database } from "./database.ts";
import type { WriteQueue } from "./write-queue.ts";

interface WriteProbeDeps {
  readonly database: Database;
  readonly writes: WriteQueue;
  readonly clock: Clock;
}

/**
 * Writes and deletes a value of the size of a message, once a minute, and once a second while the disk is full: a
 * process that is not ready receives no messages, so without the probe it would not notice free space.
 */
export class WriteProbe {
  readonly #deps: WriteProbeDeps;
  readonly #sql: ReturnType<typeof statements>;
  #timer: Timer | undefined;
  #closed = false;

  constructor(deps: WriteProbeDeps) {
    this.#deps = deps;
    this.#sql = statements(deps.database);
    this.#schedule(PROBE_EVERY_MS);
  }

  /** Call after a write failed. */
  retrySoon(): void {
    this.#schedule(RETRY_MS);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #schedule(ms: number): void {
    this.#timer?.cancel();
    if (!this.#closed) this.#timer = this.#deps.clock.after(ms, () => void this.#probe());
  }

  async #probe(): Promise<void> {
    const { writes } = this.#deps;
    try {
      await writes.submit(() => this.#sql.write.run());
      await writes.submit(() => this.#sql.remove.run());
      this.#schedule(PROBE_EVERY_MS);
    } catch {
      // The write queue keeps the reason for health(); a fatal failure lasts until a restart.
      this.#schedule(RETRY_MS);
    }
  }
}

const statements = (database: Database) => ({
  write: database.prepare(
    "INSERT OR REPLACE INTO entries VALUES ('write-probe', 'probe', 0, NULL, hex(zeroblob(8000)))",
  ),
  remove: database.prepare("DELETE FROM entries WHERE collection = 'write-probe'"),
});

const PROBE_EVERY_MS = 60_000;
const RETRY_MS = 1_000;
