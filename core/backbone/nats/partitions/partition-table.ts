import { AppError, messageOf, RevisionConflict } from "../../../contract/app-error.ts";
import type { NatsSession } from "../connection/nats-session.ts";
import type { KvBucket } from "../kv/kv-bucket.ts";
import type { WatchedBucket } from "../kv/watched-bucket.ts";
import { decodePartition, encodePartition, GroupOrigin, type PartitionRecord } from "./partition-record.ts";

export interface FoundPartition {
  readonly record: PartitionRecord;
  readonly revision: number;
}

/** The partition records of all groups. */
export class PartitionTable {
  readonly #bucket: KvBucket;
  readonly #watched: WatchedBucket;
  /** Parsed records by key, cached by revision. */
  readonly #seen = new Map<string, FoundPartition>();

  constructor(bucket: KvBucket, watched: WatchedBucket) {
    this.#bucket = bucket;
    this.#watched = watched;
  }

  begin(session: NatsSession): Promise<void> {
    return this.#watched.begin(session);
  }

  /** Reads all records again if the watch has missed an update. */
  checkWatch(): Promise<void> {
    return this.#watched.check();
  }

  /** From the watched copy, slightly stale. */
  seen(group: string, partition: number): FoundPartition | undefined {
    const at = partitionKey(group, partition);
    const entry = this.#watched.entries.get(at);
    const known = this.#seen.get(at);
    if (entry === undefined || known?.revision === entry.revision) return entry && known;
    const found = { record: parse(decodePartition, at, entry.data), revision: entry.revision };
    this.#seen.set(at, found);
    return found;
  }

  /** From the server. */
  async read(group: string, partition: number): Promise<FoundPartition | undefined> {
    await this.#watched.refresh(partitionKey(group, partition));
    return this.seen(group, partition);
  }

  /** The new revision, or undefined if another process was first. */
  async write(
    group: string,
    partition: number,
    record: PartitionRecord,
    ifRevision: number,
    timeoutMs?: number,
  ): Promise<number | undefined> {
    const data = encodePartition(record);
    try {
      const revision = await this.#bucket.write(partitionKey(group, partition), data, { ifRevision, timeoutMs });
      this.#watched.set(partitionKey(group, partition), revision, data);
      return revision;
    } catch (error) {
      if (error instanceof RevisionConflict) return undefined;
      throw error;
    }
  }

  /** The first caller of all processes decides it once. */
  async origin(group: string, from: () => Promise<number>, names: Omit<GroupOrigin, "from">): Promise<number> {
    const at = originKey(group);
    for (;;) {
      const entry = await this.#bucket.read(at);
      if (entry && !entry.deleted) return parse(originIn, at, entry.data).from;
      const origin: GroupOrigin = { ...names, from: await from() };
      try {
        await this.#bucket.write(at, Buffer.from(JSON.stringify(origin)), { ifRevision: entry?.revision ?? 0 });
        return origin.from;
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
      }
    }
  }
}

export const partitionKey = (group: string, partition: number): string => `${group}.${partition}`;
export const originKey = (group: string): string => `${group}.origin`;

const originIn = (data: Uint8Array): GroupOrigin => GroupOrigin.parse(JSON.parse(Buffer.from(data).toString()));

const parse = <T>(decode: (data: Uint8Array) => T, at: string, data: Uint8Array): T => {
  try {
    return decode(data);
  } catch (error) {
    throw new AppError("data-unusable", `the partition record "${at}" cannot be read: ${messageOf(error)}`);
  }
};
