import { AppError } from "../../contract/app-error.ts";
import type { Clock } from "../../contract/clock.ts";
import { Fifo } from "../fifo.ts";
import type { Database } from "./database.ts";
import { DatabaseFailure } from "./database-failure.ts";

type Transactions = Pick<Database, "transaction" | "failure" | "changes">;

interface Write {
  /** Does its work in the transaction of its batch. If it throws to refuse itself, it must not have written. */
  perform(): void;
  committed(): void;
  fail(error: unknown): void;
}

/** What happens around the writes of a batch. */
export interface BatchHooks {
  /** The last thing in its transaction. */
  beforeCommit(): void;
  rolledBack(): void;
}

/**
 * Group commit: everything that is asked for in one pass of the event loop is one transaction, hence one fsync. A
 * write that refuses itself (a lost compare-and-set) fails alone; if SQLite fails, its whole batch was not stored.
 */
export class WriteQueue {
  readonly #database: Transactions;
  readonly #clock: Clock;
  readonly #hooks: BatchHooks;
  readonly #waiting = new Fifo<Write>();
  #scheduled = false;
  #closed = false;
  #problem: AppError | undefined;

  constructor(database: Transactions, clock: Clock, hooks: BatchHooks) {
    this.#database = database;
    this.#clock = clock;
    this.#hooks = hooks;
  }

  /** Why nothing is stored; nothing after a batch that changed something was. */
  get problem(): AppError | undefined {
    return this.#problem;
  }

  /** Resolves when stored. `after` runs before anything else can read or write, in the order of the writes. */
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

  /** Stores what waits, then refuses everything. */
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
      for (const write of batch) write.fail(error);
      // Not even begun, or never again: what waits behind it cannot be stored either.
      if (batch.length === 0 || this.#database.failure) this.#failWaiting(error);
      return;
    }
    // On a full disk a batch that changes nothing succeeds, and proves nothing.
    if (this.#problem && this.#database.changes > changesBefore) this.#problem = undefined;
    for (const write of batch) write.committed();
  }

  #perform(batch: Write[]): void {
    const deadline = this.#clock.monotonic() + LONGEST_BATCH_MS;
    do {
      const write = this.#waiting.shift() as Write;
      batch.push(write);
      write.perform();
    } while (this.#waiting.length > 0 && this.#clock.monotonic() < deadline);
  }

  #failWaiting(error: unknown): void {
    for (let write = this.#waiting.shift(); write; write = this.#waiting.shift()) write.fail(error);
  }
}

/** Then the event loop gets its turn; what is left is the next batch. */
const LONGEST_BATCH_MS = 20;
