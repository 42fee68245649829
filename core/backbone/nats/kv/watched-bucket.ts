import type { KvEntry, QueuedIterator } from "nats";
import type { Clock } from "../../../contract/ports/clock.ts";
import type { Logger } from "../../../contract/ports/logger.ts";
import { Backoff } from "../connection/backoff.ts";
import type { NatsSession } from "../connection/nats-session.ts";
import type { KvBucket } from "./kv-bucket.ts";

interface WatchedEntry {
  readonly revision: number;
  readonly data: Uint8Array;
}

interface WatchedBucketDeps {
  readonly bucket: KvBucket;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
  changed(key: string): void;
}

/** A local copy of a bucket, slightly stale. It suggests what to try; only a compare-and-set on the server decides. */
export class WatchedBucket {
  readonly #bucket: KvBucket;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #changed: (key: string) => void;
  readonly #backoff: Backoff;
  readonly #entries = new Map<string, WatchedEntry>();
  #session: NatsSession | undefined;
  #updates: QueuedIterator<KvEntry> | undefined;
  /** The latest revision that the watch or a scan has delivered. */
  #seenTo = 0;
  /** The server's last revision at the previous check; the watch should have delivered it by the next one. */
  #expectedTo = 0;
  /** Monotonic start time of the previous check. */
  #expectedAt = Number.NEGATIVE_INFINITY;
  #completeAt = Number.NEGATIVE_INFINITY;

  constructor({ bucket, clock, logger, random, changed }: WatchedBucketDeps) {
    this.#bucket = bucket;
    this.#clock = clock;
    this.#logger = logger;
    this.#changed = changed;
    const messages = { failing: "watch ended, retrying", recovered: "watch restored" };
    this.#backoff = new Backoff({ clock, logger, random, ...messages });
  }

  get entries(): ReadonlyMap<string, WatchedEntry> {
    return this.#entries;
  }

  /** Monotonic time at which this copy had every key that existed then. */
  get completeAt(): number {
    return this.#completeAt;
  }

  /** Resolves once all entries are loaded. Watches until the connection ends. */
  async begin(session: NatsSession): Promise<void> {
    this.#session = session;
    // The bucket may have been replaced, with lower revisions.
    this.#seenTo = 0;
    this.#expectedTo = 0;
    this.#expectedAt = Number.NEGATIVE_INFINITY;
    this.#completeAt = Number.NEGATIVE_INFINITY;
    const lastRevision = await this.#bucket.lastRevision();
    if (this.#session === session) await this.#scan(lastRevision);
    if (this.#session === session) void this.#watch(session);
  }

  /** Detects a watch that stopped without an error. Call it periodically; it costs one request. */
  async check(): Promise<void> {
    const session = this.#session;
    if (!session?.isOpen) return;
    const startedAt = this.#clock.monotonic();
    const missed = this.#seenTo < this.#expectedTo;
    const lastRevision = await this.#bucket.lastRevision();
    if (this.#session !== session) return;
    if (missed && this.#seenTo < this.#expectedTo) {
      this.#logger.warn({ bucket: this.#bucket.name }, "watch missed updates, reading all entries");
      this.#updates?.stop();
      await this.#scan(lastRevision);
    }
    this.#expectedTo = lastRevision;
    this.#expectedAt = startedAt;
    this.#noteComplete();
  }

  /** The watch delivers revisions in order. */
  #noteComplete(): void {
    if (this.#seenTo >= this.#expectedTo) this.#completeAt = Math.max(this.#completeAt, this.#expectedAt);
  }

  /** Resolves once all keys up to this revision are loaded. The last ones may have been swept, so a scan may not see it. */
  async #scan(lastRevision: number): Promise<void> {
    const session = this.#session;
    const startedAt = this.#clock.monotonic();
    const before = new Map(this.#entries);
    const found = await this.#bucket.scan(">", { headersOnly: false });
    if (this.#session !== session) return;
    const there = new Set<string>();
    for (const { key, revision, data, deleted } of found) {
      this.#seenTo = Math.max(this.#seenTo, revision);
      if (deleted) continue;
      there.add(key);
      this.set(key, revision, data);
    }
    // An entry that the watch delivered during the scan stays.
    for (const [key, entry] of before) {
      if (!there.has(key) && this.#entries.get(key) === entry) this.#remove(key);
    }
    this.#seenTo = Math.max(this.#seenTo, lastRevision);
    this.#completeAt = startedAt;
  }

  /** Also called with this process's own write, before the watch delivers it. */
  set(key: string, revision: number, data: Uint8Array): void {
    if ((this.#entries.get(key)?.revision ?? 0) >= revision) return;
    this.#entries.set(key, { revision, data });
    this.#changed(key);
  }

  /** For a key that is deleted and will not be written again. */
  forget(key: string): void {
    this.#remove(key);
  }

  /** Reads the key from the server. */
  async refresh(key: string): Promise<WatchedEntry | undefined> {
    const entry = await this.#bucket.read(key);
    if (entry === undefined || entry.deleted) this.#remove(key);
    else this.set(key, entry.revision, entry.data);
    return this.#entries.get(key);
  }

  async #watch(session: NatsSession): Promise<void> {
    while (session.isOpen && this.#session === session) {
      let pauseMs = WATCH_AGAIN_MS;
      try {
        const bucket = await session.js.views.kv(this.#bucket.name, { bindOnly: true });
        this.#updates = await bucket.watch();
        for await (const update of this.#updates) {
          if (this.#session !== session) break;
          this.#backoff.succeeded();
          this.#apply(update);
        }
      } catch (error) {
        if (session.isOpen) pauseMs = this.#backoff.failed(error, { bucket: this.#bucket.name });
      }
      if (session.isOpen) await new Promise<void>((resolve) => this.#clock.after(pauseMs, resolve));
    }
  }

  #apply({ key, revision, operation, value }: KvEntry): void {
    this.#seenTo = Math.max(this.#seenTo, revision);
    this.#noteComplete();
    if (operation === "PUT") this.set(key, revision, value);
    else if ((this.#entries.get(key)?.revision ?? 0) < revision) this.#remove(key);
  }

  #remove(key: string): void {
    if (this.#entries.delete(key)) this.#changed(key);
  }
}

const WATCH_AGAIN_MS = 200;
