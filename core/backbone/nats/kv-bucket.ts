import type { StoredMsg, StreamConfig, StreamInfo } from "nats";
import { DiscardPolicy, Empty, NatsError, nanos, nuid, RetentionPolicy, StorageType } from "nats";
import { RevisionConflict } from "../../contract/app-error.ts";
import { directGet } from "./direct-get.ts";
import { ensureStream } from "./ensure-stream.ts";
import { messageHeaders } from "./message-headers.ts";
import type { NatsConnector } from "./nats-connector.ts";
import { isLostRace, isNoResponder, isNotFound } from "./nats-fault.ts";
import type { NatsSession } from "./nats-session.ts";
import { publishAcked } from "./publish-acked.ts";
import type { KnownRevision } from "./recent-revisions.ts";
import { RecentRevisions } from "./recent-revisions.ts";
import { scanStream } from "./scan-stream.ts";
import type { WriteAncestry } from "./write-ancestry.ts";
import { descend, revisionIn } from "./write-ancestry.ts";

export interface BucketEntry {
  readonly key: string;
  readonly revision: number;
  readonly data: Uint8Array;
  /** A marker that stands where a value was deleted. */
  readonly deleted: boolean;
  /** Wall clock, milliseconds. */
  readonly expiresAt: number | undefined;
  readonly writeId: string;
  readonly ancestry: WriteAncestry;
}

export interface ScannedEntry extends BucketEntry {
  /** Wall clock of the server, milliseconds. */
  readonly storedAt: number;
}

export interface BucketOptions {
  readonly name: string;
  readonly replicas: number;
  readonly ttlMs?: number | undefined;
}

export interface WriteOptions {
  readonly ifRevision?: number | undefined;
  readonly expiresAt?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** How long each attempt waits for its answer, if not as long as any request. */
  readonly attemptMs?: number | undefined;
}

/**
 * One key-value bucket, in the form that every NATS client knows. A write carries an id of its own (the message id) and
 * the ids of those it builds upon, so that one whose answer was lost can be repeated and recognised, even overwritten.
 */
export class KvBucket {
  readonly #connector: NatsConnector;
  readonly #config: Partial<StreamConfig> & { name: string };
  readonly #recent = new RecentRevisions();
  readonly name: string;

  constructor(connector: NatsConnector, { name, replicas, ttlMs }: BucketOptions) {
    this.#connector = connector;
    this.name = name;
    this.#config = {
      name: `KV_${name}`,
      subjects: [`$KV.${name}.>`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.New,
      max_msgs_per_subject: 1,
      num_replicas: replicas,
      allow_rollup_hdrs: true,
      deny_delete: true,
      // A replica may answer a direct read with an older value.
      allow_direct: replicas === 1,
      duplicate_window: nanos(REPEATS_KNOWN_MS),
      ...(ttlMs !== undefined && { max_age: nanos(Math.max(ttlMs, REPEATS_KNOWN_MS)) }),
    };
  }

  get stream(): string {
    return this.#config.name;
  }

  /** Creates it unless it is there. */
  ensureOn(session: NatsSession): Promise<StreamInfo> {
    return ensureStream(session, this.#config);
  }

  /** The value or the marker that is there. */
  read(key: string, timeoutMs?: number): Promise<BucketEntry | undefined> {
    return this.#connector.run(`reading "${key}" in ${this.name}`, (session) => this.readOn(session, key), timeoutMs);
  }

  /** What is known of this revision; nothing if the key is at another one. */
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
      const entry = found && this.#entry(found);
      if (entry) this.#note(entry);
      return entry;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw this.#remembering(session, error);
    }
  }

  write(key: string, data: Uint8Array, options: WriteOptions = {}): Promise<number> {
    return this.#store(key, data, undefined, options);
  }

  /** Leaves a marker, which a sweep removes later. */
  async remove(key: string, options: Omit<WriteOptions, "expiresAt"> = {}): Promise<void> {
    await this.#store(key, Empty, "DEL", options);
  }

  /**
   * Entries and markers under a NATS wildcard, in no order; without data if only headers are wanted. With data none that
   * was there is missing. In a cluster an entry may be older than the newest write.
   */
  scan(filter: string, options: { headersOnly: boolean }): Promise<ScannedEntry[]> {
    return this.#connector.run(`listing ${this.name}`, async (session) => {
      const { config } = await ensureStream(session, this.#config);
      const mayLag = config.num_replicas > 1 && !options.headersOnly;
      const keys = mayLag ? await this.#keysAtLeader(session, filter) : [];
      // what is overwritten during the scan comes twice; the later one counts
      const entries = new Map<string, ScannedEntry>();
      await scanStream(session, this.stream, this.#subject(filter), options.headersOnly, (message) => {
        const entry = { ...this.#entry(message), storedAt: message.storedAt };
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
      const { state } = await session.lookups.streams.info(this.stream);
      return state.last_seq;
    });
  }

  /** Removes this revision, and nothing that was written after it, without a trace. */
  purge(key: string, revision: number): Promise<unknown> {
    const filter = this.#subject(key);
    return this.#connector.run(`sweeping ${this.name}`, (session) =>
      session.jsm.streams.purge(this.stream, { filter, seq: revision + 1 }),
    );
  }

  /** One attempt, whatever is there. */
  async overwriteOn(session: NatsSession, key: string, data: Uint8Array): Promise<void> {
    try {
      await ensureStream(session, this.#config);
      await publishAcked(session, this.#subject(key), data, messageHeaders({}));
    } catch (error) {
      throw this.#remembering(session, error);
    }
  }

  /** For a connection that is not in use yet. Rejects if the key is there. */
  async createOn(session: NatsSession, key: string, data: Uint8Array): Promise<void> {
    await ensureStream(session, this.#config);
    await publishAcked(session, this.#subject(key), data, messageHeaders({ [EXPECTED_HEADER]: "0" }));
  }

  async #store(key: string, data: Uint8Array, operation: "DEL" | undefined, options: WriteOptions): Promise<number> {
    const { ifRevision, expiresAt, timeoutMs, attemptMs } = options;
    const writeId = nuid.next();
    const parent = ifRevision ? await this.known(key, ifRevision) : NO_PARENT;
    if (parent === undefined) throw new RevisionConflict(key, ifRevision ?? 0);
    const header = messageHeaders({
      [OPERATION_HEADER]: operation,
      [EXPIRES_HEADER]: expiresAt === undefined ? undefined : String(expiresAt),
      [ID_HEADER]: writeId,
      [EXPECTED_HEADER]: ifRevision === undefined ? undefined : String(ifRevision),
      [ANCESTRY_HEADER]: parent.ancestry || undefined,
    });
    const attempt = async (session: NatsSession, again: boolean) => {
      await ensureStream(session, this.#config);
      try {
        return (await publishAcked(session, this.#subject(key), data, header, attemptMs)).seq;
      } catch (error) {
        if (!isLostRace(error)) throw this.#remembering(session, error);
        const applied = again ? await this.#find(session, key, writeId) : undefined;
        if (applied !== undefined) return applied;
        throw new RevisionConflict(key, ifRevision ?? 0);
      }
    };
    const revision = await this.#connector.run(`writing "${key}" in ${this.name}`, attempt, timeoutMs);
    this.#note({ revision, expiresAt, writeId, ancestry: parent.ancestry });
    return revision;
  }

  /** The revision of a write whose answer was lost, if it was carried out. */
  async #find(session: NatsSession, key: string, writeId: string): Promise<number | undefined> {
    const entry = await this.readOn(session, key);
    if (entry?.writeId === writeId) return entry.revision;
    return entry && revisionIn(entry.ancestry, writeId);
  }

  /** A scan is served by any replica; one that was restarted lacks entries until it has caught up. */
  async #keysAtLeader({ lookups }: NatsSession, filter: string): Promise<string[]> {
    const { state } = await lookups.streams.info(this.stream, { subjects_filter: this.#subject(filter) });
    return Object.keys(state.subjects ?? {}).map((subject) => this.#key(subject));
  }

  async #readAtLeader({ lookups }: NatsSession, keys: readonly string[]): Promise<ScannedEntry[]> {
    // The replica lags far behind: the next scan may get another one.
    if (keys.length > MAX_READ_SINGLY) throw new NatsError("TIMEOUT", "TIMEOUT");
    const found = await Promise.all(
      keys.map(async (key) => {
        const message = await lookups.streams
          .getMessage(this.stream, { last_by_subj: this.#subject(key) })
          .catch(undefinedIfNotFound);
        return message ? [{ ...this.#entry(message), storedAt: message.time.getTime() }] : [];
      }),
    );
    return found.flat();
  }

  #note({ revision, expiresAt, writeId, ancestry }: Omit<BucketEntry, "key" | "data" | "deleted">): void {
    this.#recent.note(revision, { expiresAt, ancestry: descend(ancestry, { writeId, revision }) });
  }

  /** Nobody answering may mean that the bucket was deleted: it is looked for again. */
  #remembering(session: NatsSession, error: unknown): unknown {
    if (isNoResponder(error)) session.forget(this.stream);
    return error;
  }

  #subject(key: string): string {
    return `$KV.${this.name}.${key}`;
  }

  #key(subject: string): string {
    return subject.slice(`$KV.${this.name}.`.length);
  }

  #entry({ subject, seq, data, header }: Pick<StoredMsg, "subject" | "seq" | "data" | "header">): BucketEntry {
    const expires = header?.get(EXPIRES_HEADER);
    const operation = header?.get(OPERATION_HEADER);
    return {
      key: this.#key(subject),
      revision: seq,
      data,
      deleted: operation === "DEL" || operation === "PURGE",
      expiresAt: expires ? Number(expires) : undefined,
      writeId: header?.get(ID_HEADER) ?? "",
      ancestry: header?.get(ANCESTRY_HEADER) ?? "",
    };
  }
}

const undefinedIfNotFound = (error: unknown): undefined => {
  if (!isNotFound(error)) throw error;
};

const ID_HEADER = "Nats-Msg-Id";
const EXPECTED_HEADER = "Nats-Expected-Last-Subject-Sequence";
const OPERATION_HEADER = "KV-Operation";
const EXPIRES_HEADER = "Mooring-Expires";
const ANCESTRY_HEADER = "Mooring-Lineage";
const NO_PARENT: KnownRevision = { expiresAt: undefined, ancestry: "" };
/** Longer than any operation is repeated. Short, because every id in the window costs the server memory. */
const REPEATS_KNOWN_MS = 30_000;
const MAX_READ_SINGLY = 256;
