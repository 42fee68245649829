import { statfs } from "node:fs/promises";
import { messageOf } from "../../contract/app-error.ts";
import type { Backbone, BackboneHealth, QueueDepth } from "../../contract/ports/backbone.ts";
import type { Listener } from "../../contract/ports/bus.ts";
import { type Clock, systemClock } from "../../contract/ports/clock.ts";
import type { Logger } from "../../contract/ports/logger.ts";
import { HealthListeners } from "../health-listeners.ts";
import { EmbeddedBus } from "./embedded-bus.ts";
import { EmbeddedStore } from "./embedded-store.ts";
import { Database } from "./file/database.ts";
import { WriteProbe } from "./file/write-probe.ts";
import { NumberSeries, WriteQueue } from "./file/write-queue.ts";
import { DurableRegistry, NewlyPending } from "./queue/durable-registry.ts";
import { Sweeper } from "./sweeper.ts";

interface EmbeddedBackboneOptions {
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
  readonly #health = new HealthListeners();
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
        this.#probe.retrySoon();
      },
      problemChanged: () => this.#health.notify(),
    });
    const durables = new DurableRegistry(database, writes, numbers, clock);
    const deps = { database, writes, numbers, durables, clock, logger, pauseMs: failurePauseMs };
    this.store = new EmbeddedStore(database, writes, numbers, clock);
    this.bus = new EmbeddedBus({ ...deps, newlyPending, store: this.store });
    this.sweeper = new Sweeper(deps);
    this.#probe = new WriteProbe(deps);
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

  onHealthChange(listener: () => void): Listener {
    return this.#health.add(listener);
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
      this.#logger.warn(
        { error: messageOf(error) },
        "could not checkpoint the data file at close, the next start reads its log",
      );
    }
  }
}

interface OpenEmbeddedBackboneOptions {
  /** Created if absent. One process at a time can open it. */
  readonly dataDir: string;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** The pause after a handler's first failure. */
  readonly failurePauseMs?: number;
}

/** Rejects with "data-in-use" or "data-unusable"; both messages say what to do. */
export const openEmbeddedBackbone = async ({
  dataDir,
  logger,
  clock = systemClock,
  failurePauseMs = 500,
}: OpenEmbeddedBackboneOptions): Promise<Backbone> => {
  const database = new Database(dataDir);
  try {
    return new EmbeddedBackbone(database, { clock, logger, failurePauseMs });
  } catch (error) {
    database.close();
    throw error;
  }
};
