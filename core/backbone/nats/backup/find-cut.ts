import { BackboneUnavailable } from "../../../contract/app-error.ts";
import type { NatsOptions } from "../connection/nats-options.ts";
import type { NatsSession } from "../connection/nats-session.ts";
import { entryHeaders } from "../kv/bucket-entry.ts";
import { streamOfBucket } from "../kv/kv-bucket.ts";
import type { NatsNames } from "../nats-names.ts";
import { ensureStream, publishAcked } from "../wire/jetstream-requests.ts";
import { type FollowedMessage, StreamFollower } from "./stream-follower.ts";

export interface BucketWrite extends FollowedMessage {
  readonly bucket: string;
}

interface CutDeps {
  readonly session: NatsSession;
  readonly names: NatsNames;
  readonly options: NatsOptions;
  readonly buckets: readonly string[];
  /** Called for each write before the cut, in the order of its bucket; the last one of a key counts. */
  apply(write: BucketWrite): void;
  /** Called before each attempt: what only grows must be read before the cut. */
  beforeCut(): Promise<void>;
}

/**
 * Reads all buckets as they were at one moment, while processes write to them. Buckets keep the last value of a key
 * only, so this follows every write and then writes a marker: the server's time of the marker is the cut. A value that
 * was replaced before it arrived leaves a gap in the sequence numbers; if it may belong before the cut, there is a new one.
 * Returns the time of the cut, in nanoseconds of the server's clock.
 */
export const findCut = async (deps: CutDeps): Promise<number> => {
  const { session, buckets, apply } = deps;
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  const orFail = <R>(work: Promise<R>): Promise<R> => Promise.race([work, failed]);
  let held: BucketWrite[] | undefined;
  let isOver = false;
  /** The latest write before a gap in each bucket, since the marker was sent. */
  let gapsAfter: number[] = [];
  const following = buckets.map(async (bucket) => {
    const last = { seq: 0, time: 0 };
    const received = (message: FollowedMessage) => {
      if (isOver) return;
      const isGap = last.seq > 0 && message.seq !== last.seq + 1;
      if (isGap && held) gapsAfter.push(last.time);
      last.seq = message.seq;
      last.time = message.time;
      if (held) held.push({ ...message, bucket });
      else apply({ ...message, bucket });
    };
    return StreamFollower.start(session, bucket, { received, failed: fail });
  });
  const followers = await orFail(Promise.all(following));
  const caughtUp = () => orFail(Promise.all(followers.map((follower) => follower.caughtUp())));
  await caughtUp();
  // 0.1.0 has no such bucket.
  const { replicas } = deps.options;
  await ensureStream(session, streamOfBucket({ name: deps.names.healthBucket, replicas }));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await deps.beforeCut();
    held = [];
    gapsAfter = [];
    const cut = await orFail(writeMarker(deps));
    await caughtUp();
    const since: BucketWrite[] = held;
    held = undefined;
    if (!gapsAfter.some((time) => time <= cut)) {
      isOver = true;
      for (const write of since) if (write.time <= cut) apply(write);
      return cut;
    }
    for (const write of since) apply(write);
  }
  throw new BackboneUnavailable("the data changes too fast for a backup: run it again when there is less traffic");
};

const MAX_ATTEMPTS = 50;

/** Resolves to the server's time of the marker, once every earlier write can be read. */
const writeMarker = async ({ session, names, options }: CutDeps): Promise<number> => {
  const { seq } = await publishAcked(session, `$KV.${names.healthBucket}.backup`, Buffer.from("{}"), entryHeaders({}));
  const { timestamp } = await session.jsm.streams.getMessage(`KV_${names.healthBucket}`, { seq });
  // Replicas confirm a write a moment after its time.
  if (options.replicas > 1) await new Promise<void>((resolve) => options.clock.after(SETTLE_MS, resolve));
  return toNanos(timestamp);
};

const SETTLE_MS = 250;

/** "2026-01-01T00:00:00.123456789Z" in nanoseconds; a date has milliseconds only. */
const toNanos = (timestamp: string): number => {
  const [, fraction = ""] = /\.(\d+)/.exec(timestamp) ?? [];
  const seconds = Math.floor(Date.parse(timestamp) / 1_000);
  return seconds * 1e9 + Number(fraction.padEnd(9, "0").slice(0, 9));
};
