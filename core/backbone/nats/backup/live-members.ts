import { AppError } from "../../../contract/app-error.ts";
import type { NatsOptions } from "../connection/nats-options.ts";
import type { NatsSession } from "../connection/nats-session.ts";
import type { NatsNames } from "../nats-names.ts";
import { scanStream } from "../wire/scan-stream.ts";

/** The names of all streams of this deployment. */
export const streamsOf = async ({ jsm }: NatsSession, prefix: string): Promise<string[]> => {
  const found: string[] = [];
  for await (const name of jsm.streams.names()) {
    if (name.startsWith(`${prefix}_`) || name.startsWith(`KV_${prefix}_`)) found.push(name);
  }
  return found.sort();
};

/** Rejects while a process of this deployment runs: it would write into data that is being replaced or moved. */
export const refuseWhileRunning = async (
  session: NatsSession,
  names: NatsNames,
  { clock, leaseMs }: NatsOptions,
): Promise<void> => {
  // Versions up to 0.2 write no beats, they rewrite their records.
  const buckets = [names.beatsBucket, names.membersBucket].map((bucket) => `KV_${bucket}`);
  const streams = new Set<string>();
  for await (const name of session.jsm.streams.names()) streams.add(name);
  let isRunning = false;
  for (const bucket of buckets.filter((name) => streams.has(name))) {
    await scanStream(session, bucket, ">", false, ({ data, storedAt }) => {
      if (data.length > 0 && storedAt > clock.now() - LEASES * leaseMs) isRunning = true;
    });
  }
  if (isRunning) {
    throw new AppError(
      "data-in-use",
      `processes of this deployment run, or ended less than ${(LEASES * leaseMs) / 1_000} s ago: stop them first`,
    );
  }
};

const LEASES = 2;
