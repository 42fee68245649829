import { z } from "zod";
import { AppError, messageOf, RevisionConflict } from "../../../contract/app-error.ts";
import type { Timer } from "../../../contract/ports/clock.ts";
import type { NatsConnector } from "../connection/nats-connector.ts";
import type { NatsOptions } from "../connection/nats-options.ts";
import { KvBucket } from "./kv-bucket.ts";

const SweepRecord = z.looseObject({ at: z.number() });

/** Sweeps periodically. Of all processes with the same user, one claims each sweep by compare-and-set. */
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
      if (!isUsual) logger.warn({ error: messageOf(error) }, "could not sweep buckets, retrying later");
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
/** Per user, because permissions can differ per user. No group has this key: keys of groups have two parts. */
const turnKey = (user: string | undefined): string =>
  user === undefined ? "sweep" : `sweep-${user.replaceAll(/[^A-Za-z0-9-]+/g, "-")}`;

interface SweepDeps {
  readonly connector: NatsConnector;
  readonly prefix: string;
  readonly replicas: number;
  /** Wall clock, milliseconds. */
  readonly now: number;
}

/**
 * Removes expired values and deletion markers from all buckets of the deployment that this process may read; processes
 * with other permissions sweep the rest. Resolves to the number of removed entries.
 */
const sweepBuckets = async ({ connector, prefix, replicas, now }: SweepDeps): Promise<number> => {
  let removed = 0;
  for (const name of await bucketsOf(connector, prefix)) {
    const bucket = new KvBucket(connector, { name, replicas });
    try {
      removed += await sweep(bucket, now);
    } catch (error) {
      if (!(error instanceof AppError && error.code === "bad-configuration")) throw error;
    }
  }
  return removed;
};

const sweep = async (bucket: KvBucket, now: number): Promise<number> => {
  let removed = 0;
  for (const { key, revision, deleted, expiresAt, storedAt } of await bucket.scan(">", { headersOnly: true })) {
    const isExpired = deleted ? storedAt + GRACE_MS < now : expiresAt !== undefined && expiresAt + GRACE_MS < now;
    if (!isExpired) continue;
    await bucket.purge(key, revision);
    removed++;
  }
  return removed;
};

const bucketsOf = (connector: NatsConnector, prefix: string): Promise<string[]> =>
  connector.run("listing buckets", async ({ jsm }) => {
    const names: string[] = [];
    for await (const name of jsm.streams.names()) if (name.startsWith(`KV_${prefix}_`)) names.push(name.slice(3));
    return names;
  });

/** For writers that have just read the entry, and for clocks that differ. */
const GRACE_MS = 600_000;
