import { messageOf } from "../../contract/app-error.ts";
import { RETENTION_MS } from "../../contract/ports/bus.ts";
import type { Clock, Timer } from "../../contract/ports/clock.ts";
import type { Logger } from "../../contract/ports/logger.ts";
import type { Database } from "./file/database.ts";
import type { WriteQueue } from "./file/write-queue.ts";
import type { Durable, DurableRegistry, SweptSlice } from "./queue/durable-registry.ts";

export interface SweeperDeps {
  readonly database: Database;
  readonly writes: WriteQueue;
  readonly durables: DurableRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Deletes expired entries and messages in small slices, each in the next group commit, so that no write waits long. */
export class Sweeper {
  readonly #deps: SweeperDeps;
  readonly #sql: ReturnType<typeof statements>;
  #timer: Timer | undefined;
  #closed = false;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
    this.#sql = statements(deps.database);
    this.#schedule();
  }

  async sweep(): Promise<void> {
    await this.#sweepEntries();
    await this.#sweepMessages();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    this.#timer = this.#deps.clock.after(SWEEP_EVERY_MS, () => {
      this.sweep()
        .catch((error) => {
          if (!this.#closed) this.#deps.logger.warn({ error: messageOf(error) }, "sweep failed, retrying");
        })
        .finally(() => this.#closed || this.#schedule());
    });
  }

  async #sweepEntries(): Promise<void> {
    let deleted = SLICE;
    while (deleted === SLICE) {
      deleted = await this.#deps.writes.submit(() => this.#sql.entries.run(this.#deps.clock.now()));
    }
  }

  async #sweepMessages(): Promise<void> {
    let after = 0;
    for (;;) {
      const from = after;
      const slice = await this.#deps.writes.submit(
        () => this.#deleteMessages(from),
        (deleted) => {
          if (deleted) for (const durable of deleted.unhandledOf) durable.queue?.swept(deleted);
        },
      );
      if (slice === undefined) return;
      after = slice.last;
      if (slice.unhandled > 0) {
        this.#deps.logger.warn({ messages: slice.unhandled }, "dropped unhandled messages older than 7 days");
      }
    }
  }

  /** Returns undefined once it reaches a message that has not expired. */
  #deleteMessages(after: number): DeletedSlice | undefined {
    const now = this.#deps.clock.now();
    const tooOld = now - RETENTION_MS;
    const times = this.#sql.messageTimes.all(after);
    const last = times.at(-1)?.[0];
    // A message with a future time (the clock was wrong) does not stop the sweep. After any other, all are younger.
    const first = times.find(([, publishedAt]) => publishedAt <= now);
    if (last === undefined || (first && first[1] > tooOld)) return undefined;
    const unhandledOf: Durable[] = [];
    let unhandled = 0;
    for (const durable of this.#deps.durables.all()) {
      const dropped = this.#sql.pending.run(durable.id, after, last, tooOld);
      if (dropped > 0) unhandledOf.push(durable);
      unhandled += dropped;
    }
    this.#sql.messages.run(after, last, tooOld);
    return { after, last, tooOld, unhandled, unhandledOf };
  }
}

interface DeletedSlice extends SweptSlice {
  readonly unhandled: number;
  readonly unhandledOf: readonly Durable[];
}

const SLICE = 500;
const SWEEP_EVERY_MS = 60_000;

const statements = (database: Database) => ({
  entries: database.prepare(
    `DELETE FROM entries WHERE rowid IN (SELECT rowid FROM entries WHERE expires_at <= ? LIMIT ${SLICE})`,
  ),
  messageTimes: database.prepare<[seq: number, publishedAt: number]>(
    `SELECT seq, published_at FROM messages WHERE seq > ? ORDER BY seq LIMIT ${SLICE}`,
  ),
  pending: database.prepare(
    `DELETE FROM pending WHERE durable_id = ? AND seq > ? AND seq <= ?
     AND (SELECT published_at FROM messages WHERE messages.seq = pending.seq) <= ?`,
  ),
  messages: database.prepare("DELETE FROM messages WHERE seq > ? AND seq <= ? AND published_at <= ?"),
});
