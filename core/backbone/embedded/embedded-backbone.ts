import { statfs } from "node:fs/promises";
import { messageOf } from "../../contract/app-error.ts";
import type { Backbone, BackboneHealth, QueueDepth } from "../../contract/backbone.ts";
import type { Clock } from "../../contract/clock.ts";
import type { Logger } from "../../contract/logger.ts";
import type { Database } from "./database.ts";
import { DurableRegistry } from "./durable-registry.ts";
import { EmbeddedBus } from "./embedded-bus.ts";
import { EmbeddedStore } from "./embedded-store.ts";
import { NewlyPending } from "./newly-pending.ts";
import { NumberSeries } from "./number-series.ts";
import { Sweeper } from "./sweeper.ts";
import { WriteProbe } from "./write-probe.ts";
import { WriteQueue } from "./write-queue.ts";

export interface EmbeddedBackboneOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly failurePauseMs: number;
}

/** Bus and store in one SQLite file, for one process. */
export class EmbeddedBackbone implements Backbone {
  readonly bus: EmbeddedBus;
  readonly store: EmbeddedStore;
  readonly sweeper: Sweeper;
  readonly #database: Database;
  readonly #writes: WriteQueue;
  readonly #probe: WriteProbe;
  readonly #logger: Logger;
  #closed: Promise<void> | undefined;

  constructor(database: Database, { clock, logger, failurePauseMs }: EmbeddedBackboneOptions) {
    const numbers = new NumberSeries(database);
    const newlyPending = new NewlyPending(database);
    const writes = new WriteQueue(database, clock, {
      beforeCommit: () => newlyPending.write(),
      rolledBack: () => {
        newlyPending.rolledBack();
        numbers.rolledBack();
        this.#probe.soon();
      },
    });
    const durables = new DurableRegistry(database, writes, numbers, clock);
    const parts = { database, writes, numbers, durables, clock, logger, pauseMs: failurePauseMs };
    this.store = new EmbeddedStore(database, writes, numbers, clock);
    this.bus = new EmbeddedBus({ ...parts, newlyPending, store: this.store });
    this.sweeper = new Sweeper(parts);
    this.#probe = new WriteProbe(parts);
    this.#database = database;
    this.#writes = writes;
    this.#logger = logger;
  }

  health(): BackboneHealth {
    if (this.#closed) return { ok: false, reason: "the backbone is closed" };
    const problem = this.writeProblem();
    return problem === undefined ? { ok: true } : { ok: false, reason: problem };
  }

  writeProblem(): string | undefined {
    return (this.#database.failure ?? this.#writes.problem)?.message;
  }

  readonly freeBytes = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(this.#database.folder);
    return bavail * bsize;
  };

  queues(): readonly QueueDepth[] {
    return this.bus.queues();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.bus.close();
    this.sweeper.close();
    this.#probe.close();
    this.#writes.close();
    this.store.close();
    try {
      this.#database.close();
    } catch (error) {
      this.#logger.warn({ error: messageOf(error) }, "closed without tidying the data file; the next start does it");
    }
  }
}
