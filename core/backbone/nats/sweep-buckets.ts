import { AppError } from "../../contract/app-error.ts";
import { KvBucket } from "./kv-bucket.ts";
import type { NatsConnector } from "./nats-connector.ts";

export interface SweepDeps {
  readonly connector: NatsConnector;
  readonly prefix: string;
  readonly replicas: number;
  /** Wall clock, milliseconds. */
  readonly now: number;
}

/**
 * Removes expired values and the markers of deleted ones from all buckets of the deployment that this process may read;
 * the others are left to those who may. Resolves to how many.
 */
export const sweepBuckets = async ({ connector, prefix, replicas, now }: SweepDeps): Promise<number> => {
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
    const isOver = deleted ? storedAt + GRACE_MS < now : expiresAt !== undefined && expiresAt + GRACE_MS < now;
    if (!isOver) continue;
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

/** For writers that are just looking at what is there, and for clocks that differ. */
const GRACE_MS = 600_000;
