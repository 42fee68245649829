import { AppError, messageOf, RevisionConflict } from "../../contract/app-error.ts";
import type { Clock } from "../../contract/ports/clock.ts";
import type { Collection, Key, Listed, Prefix, PutOptions, Store, Stored } from "../../contract/ports/store.ts";
import { MAX_VALUE_BYTES } from "../../contract/ports/store.ts";
import { newerFormat } from "../data-format.ts";
import { toJson } from "../input-checks.ts";
import type { NatsConnector } from "./connection/nats-connector.ts";
import type { BucketEntry } from "./kv/bucket-entry.ts";
import { KvBucket } from "./kv/kv-bucket.ts";
import type { NatsNames } from "./nats-names.ts";

interface NatsStoreDeps {
  readonly connector: NatsConnector;
  readonly names: NatsNames;
  readonly replicas: number;
  readonly clock: Clock;
}

/** One bucket per collection. The expiry is a header of the value and is checked on read; a sweep deletes expired values. */
export class NatsStore implements Store {
  readonly #deps: NatsStoreDeps;
  readonly #buckets = new Map<string, KvBucket>();

  constructor(deps: NatsStoreDeps) {
    this.#deps = deps;
  }

  async get<T>({ collection, encoded }: Key<T>, known?: Stored<T>): Promise<Stored<T> | undefined> {
    const entry = await this.#bucket(collection).read(encoded);
    if (entry === undefined || !this.#isPresent(entry)) return undefined;
    if (known?.revision === entry.revision) return known;
    return { value: parse(collection, entry), revision: entry.revision };
  }

  async put<T>({ collection, encoded }: Key<T>, value: T, options: PutOptions = {}): Promise<number> {
    const data = Buffer.from(toJson(value, `${collection.name}/${encoded}`, MAX_VALUE_BYTES));
    const ttlMs = Math.min(options.ttlMs ?? Number.POSITIVE_INFINITY, collection.ttlMs ?? Number.POSITIVE_INFINITY);
    const expiresAt = Number.isFinite(ttlMs) ? Math.ceil(this.#deps.clock.now() + ttlMs) : undefined;
    const bucket = this.#bucket(collection);
    const { ifRevision } = options;
    if (ifRevision) await this.#refuseIfExpired(bucket, encoded, ifRevision);
    if (ifRevision === 0) return this.#create(bucket, encoded, data, expiresAt);
    return bucket.write(encoded, data, { ifRevision, expiresAt });
  }

  async delete({ collection, encoded }: Key<unknown>, options: { ifRevision?: number } = {}): Promise<void> {
    const bucket = this.#bucket(collection);
    const { ifRevision } = options;
    if (ifRevision !== undefined) {
      await this.#refuseIfExpired(bucket, encoded, ifRevision);
      return bucket.remove(encoded, { ifRevision });
    }
    const entry = await bucket.read(encoded);
    if (entry !== undefined && !entry.deleted) await bucket.remove(encoded);
  }

  async *list<T>({ collection, encoded }: Prefix<T>): AsyncIterable<Listed<T>> {
    const filter = encoded === "" ? ">" : `${encoded}.>`;
    const entries = await this.#bucket(collection).scan(filter, { headersOnly: false });
    entries.sort((a, b) => (a.key < b.key ? -1 : 1));
    for (const entry of entries) {
      if (!this.#isPresent(entry)) continue;
      yield { key: entry.key, value: parse(collection, entry), revision: entry.revision };
    }
  }

  /** The server refuses to create a key that has a marker or an expired value: those are replaced at their revision. */
  async #create(bucket: KvBucket, key: string, data: Uint8Array, expiresAt: number | undefined): Promise<number> {
    let ifRevision = 0;
    for (;;) {
      try {
        return await bucket.write(key, data, { ifRevision, expiresAt });
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
        const entry = await bucket.read(key);
        if (entry !== undefined && this.#isPresent(entry)) throw new RevisionConflict(key, 0);
        ifRevision = entry?.revision ?? 0;
      }
    }
  }

  /** The server does not know the expiry: it would accept a write at the revision of an expired value. */
  async #refuseIfExpired(bucket: KvBucket, key: string, revision: number): Promise<void> {
    const expiresAt = (await bucket.known(key, revision))?.expiresAt;
    if (expiresAt !== undefined && expiresAt <= this.#deps.clock.now()) throw new RevisionConflict(key, revision);
  }

  #isPresent({ deleted, expiresAt }: BucketEntry): boolean {
    return !deleted && (expiresAt === undefined || expiresAt > this.#deps.clock.now());
  }

  #bucket({ name, ttlMs }: Collection<unknown>): KvBucket {
    const known = this.#buckets.get(name);
    if (known) return known;
    if (!/^[a-z][a-z0-9-]*$/.test(name)) {
      throw new AppError("bad-input", `collection "${name}": use lower-case letters, digits and "-"`);
    }
    const { connector, names, replicas } = this.#deps;
    const bucket = new KvBucket(connector, { name: names.bucket(name), replicas, ttlMs });
    this.#buckets.set(name, bucket);
    return bucket;
  }
}

const parse = <T>({ name, schema }: Collection<T>, { key, data, format }: BucketEntry): T => {
  const unusable = (why: string) =>
    new AppError(
      "data-unusable",
      `"${key}" in "${name}" cannot be read (${why}${newerFormat(format)}); correct or delete it`,
    );
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.length).toString());
  } catch (error) {
    throw unusable(messageOf(error));
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw unusable(parsed.error.issues.map(({ path, message }) => `${path.join(".") || "value"}: ${message}`).join("; "));
};
