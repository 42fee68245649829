import { AppError } from "../../../contract/app-error.ts";
import type { Clock } from "../../../contract/ports/clock.ts";
import type { Database } from "./database.ts";
import { DatabaseFailure } from "./driver.ts";

type Transactions = Pick<Database, "transaction" | "failure" | "changes">;

interface Write {
  /** Runs in the transaction of its batch. A write that throws to refuse itself must not have changed anything. */
  perform(): void;
  committed(): void;
  fail(error: unknown): void;
}

interface BatchHooks {
  /** The last call inside the transaction of a batch. */
  beforeCommit(): void;
  rolledBack(): void;
  /** The problem has begun, changed or ended. */
  problemChanged(): void;
}

/**
 * Group commit: all writes submitted in one pass of the event loop share one transaction, hence one fsync. A write that
 * refuses itself (a lost compare-and-set) fails alone; if SQLite fails, nothing of the batch is stored.
 */
export class WriteQueue {
  readonly #database: Transactions;
  readonly #clock: Clock;
  readonly #hooks: BatchHooks;
  readonly #waiting: Write[] = [];
  #scheduled = false;
  #closed = false;
  #problem: AppError | undefined;

  constructor(database: Transactions, clock: Clock, hooks: BatchHooks) {
    this.#database = database;
    this.#clock = clock;
    this.#hooks = hooks;
  }

  /** Why the last batch failed; undefined once a later batch has changed a row. */
  get problem(): AppError | undefined {
    return this.#problem;
  }

  /** Resolves when stored. `after` runs before any other read or write, in the order of the writes. */
  submit<R>(work: () => R, after?: (result: R) => void): Promise<R> {
    if (this.#closed) return Promise.reject(new AppError("stopped", "the backbone is closed"));
    if (this.#database.failure) return Promise.reject(this.#database.failure);
    return new Promise((resolve, reject) => {
      let result: R;
      let refusal: { error: unknown } | undefined;
      this.#waiting.push({
        perform() {
          try {
            result = work();
          } catch (error) {
            if (error instanceof DatabaseFailure) throw error;
            refusal = { error };
          }
        },
        committed() {
          if (refusal) return reject(refusal.error);
          after?.(result);
          resolve(result);
        },
        fail: reject,
      });
      this.#schedule();
    });
  }

  /** Stores the waiting writes, then refuses new ones. */
  close(): void {
    while (this.#waiting.length > 0) this.#flush();
    this.#closed = true;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    const batch: Write[] = [];
    const changesBefore = this.#problem ? this.#database.changes : 0;
    try {
      this.#database.transaction(() => {
        this.#perform(batch);
        this.#hooks.beforeCommit();
      });
    } catch (error) {
      this.#problem = error instanceof AppError ? error : undefined;
      this.#hooks.rolledBack();
      this.#hooks.problemChanged();
      for (const write of batch) write.fail(error);
      // The transaction did not begin, or the database has failed for good: no waiting write can be stored.
      if (batch.length === 0 || this.#database.failure) this.#failWaiting(error);
      return;
    }
    // On a full disk, a batch that changes no row still succeeds.
    if (this.#problem && this.#database.changes > changesBefore) {
      this.#problem = undefined;
      this.#hooks.problemChanged();
    }
    for (const write of batch) write.committed();
  }

  /** Moves waiting writes into the batch and performs them, until the time is up or one fails. */
  #perform(batch: Write[]): void {
    const deadline = this.#clock.monotonic() + MAX_BATCH_MS;
    try {
      do {
        const write = this.#waiting[batch.length] as Write;
        batch.push(write);
        write.perform();
      } while (batch.length < this.#waiting.length && this.#clock.monotonic() < deadline);
    } finally {
      this.#waiting.splice(0, batch.length);
    }
  }

  #failWaiting(error: unknown): void {
    for (const write of this.#waiting.splice(0)) write.fail(error);
  }
}

/** After this time other work of the event loop runs; the remaining writes are the next batch. */
const MAX_BATCH_MS = 20;

/**
 * Increasing numbers, across deletes and restarts: revisions and sequence numbers of messages. A block of them is
 * reserved inside the transaction that uses its first one, so most writes store nothing for it; a restart skips the rest
 * of a block.
 */
export class NumberSeries {
  /** No number of an earlier process is higher. */
  readonly startedAt: number;
  readonly #reserve;
  #last: number;
  #reserved: number;

  constructor(database: Database) {
    const row = database.prepare<[number]>("SELECT reserved FROM numbers").get();
    this.#reserve = database.prepare("UPDATE numbers SET reserved = ?");
    this.startedAt = row?.[0] ?? 0;
    this.#last = this.startedAt;
    this.#reserved = this.startedAt;
  }

  /** Call inside a transaction only. */
  next(): number {
    if (this.#last >= this.#reserved) {
      this.#reserve.run(this.#last + BLOCK);
      this.#reserved = this.#last + BLOCK;
    }
    return ++this.#last;
  }

  /** The transaction may have contained the reservation. */
  rolledBack(): void {
    this.#reserved = this.#last;
  }
}

const BLOCK = 10_000;
