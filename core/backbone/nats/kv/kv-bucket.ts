import {
  DiscardPolicy,
  Empty,
  NatsError,
  nanos,
  nuid,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from "nats";
import { RevisionConflict } from "../../../contract/app-error.ts";
import type { NatsConnector } from "../connection/nats-connector.ts";
import { isLostRace, isNoResponder, isNotFound } from "../connection/nats-fault.ts";
import type { NatsSession } from "../connection/nats-session.ts";
import { directGet, ensureStream, publishAcked } from "../wire/jetstream-requests.ts";
import { scanStream } from "../wire/scan-stream.ts";
import { type BucketEntry, descend, entryHeaders, entryOf, revisionIn, type ScannedEntry } from "./bucket-entry.ts";
import { type KnownRevision, RecentRevisions } from "./recent-revisions.ts";

interface BucketOptions {
  readonly name: string;
  readonly replicas: number;
  readonly ttlMs?: number | undefined;
}

interface WriteOptions {
  readonly ifRevision?: number | undefined;
  readonly expiresAt?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** Request timeout of each attempt, if it differs from the default. */
  readonly attemptMs?: number | undefined;
}

export const streamOfBucket = ({ name, replicas, ttlMs }: BucketOptions): Partial<StreamConfig> & { name: string } => ({
  name: `KV_${name}`,
  subjects: [`$KV.${name}.>`],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  discard: DiscardPolicy.New,
  max_msgs_per_subject: 1,
  num_replicas: replicas,
  allow_rollup_hdrs: true,
  deny_delete: true,
  // A replica can answer a direct read with an older value.
  allow_direct: replicas === 1,
  duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  ...(ttlMs !== undefined && { max_age: nanos(Math.max(ttlMs, DUPLICATE_WINDOW_MS)) }),
});

/**
 * One key-value bucket, in the standard format of NATS clients. A write carries its own id (the message id) and the ids
 * of the writes before it: a write whose answer was lost is recognised at its retry, even if it was overwritten since.
 */
export class KvBucket {
  readonly #connector: NatsConnector;
  readonly #config: Partial<StreamConfig> & { name: string };
  readonly #recent = new RecentRevisions();
  readonly name: string;

  constructor(connector: NatsConnector, options: BucketOptions) {
    this.#connector = connector;
    this.name = options.name;
    this.#config = streamOfBucket(options);
  }

  get stream(): string {
    return this.#config.name;
  }

  /** Creates the bucket if it does not exist. */
  ensureOn(session: NatsSession): Promise<StreamInfo> {
    return ensureStream(session, this.#config);
  }

  /** Returns the value or the deletion marker. */
  read(key: string, timeoutMs?: number): Promise<BucketEntry | undefined> {
    return this.#connector.run(`reading "${key}" in ${this.name}`, (session) => this.readOn(session, key), timeoutMs);
  }

  /** Reads the key unless this process knows the revision. Undefined if the key is at another revision. */
  async known(key: string, revision: number): Promise<KnownRevision | undefined> {
    const recent = this.#recent.get(revision);
    if (recent) return recent;
    const entry = await this.read(key);
    return entry?.revision === revision ? this.#recent.get(revision) : undefined;
  }

  async readOn(session: NatsSession, key: string): Promise<BucketEntry | undefined> {
    const { config } = await ensureStream(session, this.#config);
    const subject = this.#subject(key);
    try {
      const found =
        config.allow_direct && config.num_replicas === 1
          ? await directGet(session, this.stream, subject)
          : await session.lookups.streams.getMessage(this.stream, { last_by_subj: subject });
      const entry = found && entryOf(key, found);
      if (entry) this.#note(entry);
      return entry;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw this.#checked(session, error);
    }
  }

  write(key: string, data: Uint8Array, options: WriteOptions = {}): Promise<number> {
    return this.#store(key, data, false, options);
  }

  /** Leaves a deletion marker, which a sweep removes later. */
  async remove(key: string, options: Omit<WriteOptions, "expiresAt"> = {}): Promise<void> {
    await this.#store(key, Empty, true, options);
  }

  /**
   * Entries and markers under a NATS wildcard, unordered; without data if `headersOnly`. With data the result is
   * complete: it has every key that existed before the call. In a cluster an entry may be older than the newest write.
   */
  scan(filter: string, options: { headersOnly: boolean }): Promise<ScannedEntry[]> {
    return this.#connector.run(`listing ${this.name}`, async (session) => {
      const { config } = await ensureStream(session, this.#config);
      const mayLag = config.num_replicas > 1 && !options.headersOnly;
      const keys = mayLag ? await this.#keysAtLeader(session, filter) : [];
      // The scan returns an entry twice if it is overwritten meanwhile; the later one counts.
      const entries = new Map<string, ScannedEntry>();
      await scanStream(session, this.stream, this.#subject(filter), options.headersOnly, (message) => {
        const entry = { ...entryOf(this.#key(message.subject), message), storedAt: message.storedAt };
        entries.set(entry.key, entry);
      });
      const missing = keys.filter((key) => !entries.has(key));
      for (const entry of await this.#readAtLeader(session, missing)) entries.set(entry.key, entry);
      return [...entries.values()];
    });
  }

  /** The revision of the last write to any key. */
  lastRevision(): Promise<number> {
    return this.#connector.run(`looking at ${this.name}`, async (session) => {
      await ensureStream(session, this.#config);
      const { state } = await session.lookups.streams.info(this.stream);
      return state.last_seq;
    });
  }

  /** Removes this revision without a marker. A later write of the key stays. */
  purge(key: string, revision: number): Promise<unknown> {
    const filter = this.#subject(key);
    return this.#connector.run(`sweeping ${this.name}`, (session) =>
      session.jsm.streams.purge(this.stream, { filter, seq: revision + 1 }),
    );
  }

  /** Writes unconditionally, in one attempt. */
  async overwriteOn(session: NatsSession, key: string, data: Uint8Array): Promise<void> {
    try {
      await ensureStream(session, this.#config);
      await publishAcked(session, this.#subject(key), data, entryHeaders({}));
    } catch (error) {
      throw this.#checked(session, error);
    }
  }

  /** For a connection that is not in use yet. Rejects if the key exists. */
  async createOn(session: NatsSession, key: string, data: Uint8Array): Promise<void> {
    await ensureStream(session, this.#config);
    await publishAcked(session, this.#subject(key), data, entryHeaders({ ifRevision: 0 }));
  }

  async #store(key: string, data: Uint8Array, deletes: boolean, options: WriteOptions): Promise<number> {
    const { ifRevision, expiresAt, timeoutMs, attemptMs } = options;
    const writeId = nuid.next();
    const parent = ifRevision ? await this.known(key, ifRevision) : NO_PARENT;
    if (parent === undefined) throw new RevisionConflict(key, ifRevision ?? 0);
    const header = entryHeaders({ writeId, deletes, expiresAt, ifRevision, ancestry: parent.ancestry });
    const attempt = async (session: NatsSession, again: boolean) => {
      await ensureStream(session, this.#config);
      try {
        return (await publishAcked(session, this.#subject(key), data, header, attemptMs)).seq;
      } catch (error) {
        if (!isLostRace(error)) throw this.#checked(session, error);
        const applied = again ? await this.#find(session, key, writeId) : undefined;
        if (applied !== undefined) return applied;
        throw new RevisionConflict(key, ifRevision ?? 0);
      }
    };
    const revision = await this.#connector.run(`writing "${key}" in ${this.name}`, attempt, timeoutMs);
    this.#note({ revision, expiresAt, writeId, ancestry: parent.ancestry });
    return revision;
  }

  /** The revision of a write whose answer was lost, if it was stored. */
  async #find(session: NatsSession, key: string, writeId: string): Promise<number | undefined> {
    const entry = await this.readOn(session, key);
    if (entry?.writeId === writeId) return entry.revision;
    return entry && revisionIn(entry.ancestry, writeId);
  }

  /** Any replica can serve a scan, and a restarted one lacks entries until it has caught up. */
  async #keysAtLeader({ lookups }: NatsSession, filter: string): Promise<string[]> {
    const { state } = await lookups.streams.info(this.stream, { subjects_filter: this.#subject(filter) });
    return Object.keys(state.subjects ?? {}).map((subject) => this.#key(subject));
  }

  async #readAtLeader({ lookups }: NatsSession, keys: readonly string[]): Promise<ScannedEntry[]> {
    // The replica is far behind; a retry may reach another one.
    if (keys.length > MAX_READ_SINGLY) throw new NatsError("TIMEOUT", "TIMEOUT");
    const found = await Promise.all(
      keys.map(async (key) => {
        const message = await lookups.streams
          .getMessage(this.stream, { last_by_subj: this.#subject(key) })
          .catch(undefinedIfNotFound);
        return message ? [{ ...entryOf(key, message), storedAt: message.time.getTime() }] : [];
      }),
    );
    return found.flat();
  }

  #note({ revision, expiresAt, writeId, ancestry }: Omit<BucketEntry, "key" | "data" | "deleted" | "format">): void {
    this.#recent.note(revision, { expiresAt, ancestry: descend(ancestry, { writeId, revision }) });
  }

  /** Without a responder the bucket may have been deleted, so the next call ensures it again. */
  #checked(session: NatsSession, error: unknown): unknown {
    if (isNoResponder(error)) session.forget(this.stream);
    return error;
  }

  #subject(key: string): string {
    return `$KV.${this.name}.${key}`;
  }

  #key(subject: string): string {
    return subject.slice(`$KV.${this.name}.`.length);
  }
}

const undefinedIfNotFound = (error: unknown): undefined => {
  if (!isNotFound(error)) throw error;
};

const NO_PARENT: KnownRevision = { expiresAt: undefined, ancestry: "" };
/** Longer than the timeout of any operation. Short, because each id in the window costs the server memory. */
const DUPLICATE_WINDOW_MS = 30_000;
const MAX_READ_SINGLY = 256;
