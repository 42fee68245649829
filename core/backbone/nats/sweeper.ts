import { z } from "zod";
import { AppError, messageOf, RevisionConflict } from "../../contract/app-error.ts";
import type { Timer } from "../../contract/clock.ts";
import type { KvBucket } from "./kv-bucket.ts";
import type { NatsConnector } from "./nats-connector.ts";
import type { NatsOptions } from "./nats-options.ts";
import { sweepBuckets } from "./sweep-buckets.ts";

const SweepRecord = z.looseObject({ at: z.number() });

/** Sweeps periodically: of all processes with the same user, the one that claims the turn by compare-and-set. */
export class Sweeper {
  readonly #connector: NatsConnector;
  readonly #turns: KvBucket;
  readonly #options: NatsOptions;
  #timer: Timer | undefined;
  #sweep: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(connector: NatsConnector, turns: KvBucket, options: NatsOptions) {
    this.#connector = connector;
    this.#turns = turns;
    this.#options = options;
  }

  start(): void {
    if (this.#stopped) return;
    this.#timer = this.#options.clock.after(SWEEP_EVERY_MS * (0.5 + Math.random()), () => {
      this.#sweep = this.sweepIfDue().finally(() => this.start());
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#sweep;
  }

  async sweepIfDue(): Promise<void> {
    const { clock, logger, prefix, replicas } = this.#options;
    try {
      if (!(await this.#claimTurn())) return;
      const removed = await sweepBuckets({ connector: this.#connector, prefix, replicas, now: clock.now() });
      logger.debug({ removed }, "buckets swept");
    } catch (error) {
      const isUsual = error instanceof AppError && (error.code === "stopped" || error.code === "unavailable");
      if (!isUsual) logger.warn({ error: messageOf(error) }, "buckets not swept");
    }
  }

  async #claimTurn(): Promise<boolean> {
    const now = this.#options.clock.now();
    const key = turnKey(this.#options.auth.user);
    const entry = await this.#turns.read(key);
    const last = SweepRecord.safeParse(JSON.parse(Buffer.from(entry?.data ?? []).toString() || "null"));
    if (last.success && Math.abs(now - last.data.at) < SWEEP_EVERY_MS) return false;
    try {
      const turn = Buffer.from(JSON.stringify({ at: now }));
      await this.#turns.write(key, turn, { ifRevision: entry?.revision ?? 0 });
      return true;
    } catch (error) {
      if (error instanceof RevisionConflict) return false;
      throw error;
    }
  }
}

const SWEEP_EVERY_MS = 900_000;
/** Per user, because permissions may let each sweep other buckets. No group has this name: its keys have two parts. */
const turnKey = (user: string | undefined): string =>
  user === undefined ? "sweep" : `sweep-${user.replaceAll(/[^A-Za-z0-9-]+/g, "-")}`;
