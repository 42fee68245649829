import { AppError, messageOf, RevisionConflict } from "../../contract/app-error.ts";
import type { Clock } from "../../contract/ports/clock.ts";
import type { Key, Listed, Prefix, PutOptions, Store, Stored } from "../../contract/ports/store.ts";
import { MAX_VALUE_BYTES } from "../../contract/ports/store.ts";
import { toJson } from "../input-checks.ts";
import type { Database } from "./file/database.ts";
import type { NumberSeries, WriteQueue } from "./file/write-queue.ts";
import { RowCache, type StoredRow } from "./row-cache.ts";

/** Reads go through the row cache to the file; writes go through the group commit. */
export class EmbeddedStore implements Store {
  readonly exclusive = true;
  readonly #writes: WriteQueue;
  readonly #numbers: NumberSeries;
  readonly #clock: Clock;
  readonly #sql: ReturnType<typeof statements>;
  readonly #cache = new RowCache();

  constructor(database: Database, writes: WriteQueue, numbers: NumberSeries, clock: Clock) {
    this.#writes = writes;
    this.#numbers = numbers;
    this.#clock = clock;
    this.#sql = statements(database);
  }

  async get<T>({ collection, encoded }: Key<T>, known?: Stored<T>): Promise<Stored<T> | undefined> {
    if (known !== undefined && this.#isCurrent(collection.name, encoded, known.revision)) return known;
    const row = this.#cache.get(collection.name, encoded, () => this.#sql.get.get(collection.name, encoded));
    if (row === undefined) return undefined;
    const [json, revision, expiresAt] = row;
    if (expiresAt !== null && expiresAt <= this.#clock.now()) return undefined;
    if (known?.revision === revision) return known;
    return { value: parse({ collection, encoded }, json), revision };
  }

  async put<T>(key: Key<T>, value: T, options: PutOptions = {}): Promise<number> {
    const json = toJson(value, describe(key), MAX_VALUE_BYTES);
    const ttlMs = Math.min(options.ttlMs ?? Number.POSITIVE_INFINITY, key.collection.ttlMs ?? Number.POSITIVE_INFINITY);
    const { collection, encoded } = key;
    let wasCached = false;
    let expiresAt: number | null = null;
    return this.#writes.submit(
      () => {
        const now = this.#clock.now();
        const revision = this.#numbers.next();
        expiresAt = Number.isFinite(ttlMs) ? Math.ceil(now + ttlMs) : null;
        wasCached = this.#cache.invalidate(collection.name, encoded);
        if (!this.#write(key, json, revision, expiresAt, now, options.ifRevision)) {
          throw new RevisionConflict(describe(key), options.ifRevision ?? 0);
        }
        return revision;
      },
      (revision) => {
        if (wasCached) this.#cache.set(collection.name, encoded, [json, revision, expiresAt]);
      },
    );
  }

  async delete(key: Key<unknown>, options: { ifRevision?: number } = {}): Promise<void> {
    const { collection, encoded } = key;
    const { ifRevision } = options;
    await this.#writes.submit(() => {
      this.#cache.invalidate(collection.name, encoded);
      if (ifRevision === undefined) this.#sql.delete.run(collection.name, encoded);
      else if (this.#sql.deleteIf.run(collection.name, encoded, ifRevision, this.#clock.now()) === 0) {
        throw new RevisionConflict(describe(key), ifRevision);
      }
    });
  }

  /** Reads one page at a time: a long list does not block the event loop, and is not a consistent snapshot. */
  async *list<T>({ collection, encoded }: Prefix<T>): AsyncIterable<Listed<T>> {
    // "/" is the character after ".", so all keys below the prefix lie between the two.
    let after = encoded === "" ? "" : `${encoded}.`;
    const end = encoded === "" ? "\u007f" : `${encoded}/`;
    for (;;) {
      const rows = this.#sql.list.all(collection.name, after, end, this.#clock.now());
      for (const [key, json, revision] of rows) {
        yield { key, value: parse({ collection, encoded: key }, json), revision };
        after = key;
      }
      if (rows.length < PAGE) return;
    }
  }

  /** Without the cache, reads go to the closed file, which refuses them. */
  close(): void {
    this.#cache.clear();
  }

  #isCurrent(collection: string, key: string, revision: number): boolean {
    const expiresAt = this.#cache.expiryAt(collection, key, revision);
    return expiresAt === null || (expiresAt !== undefined && expiresAt > this.#clock.now());
  }

  #write(
    { collection: { name }, encoded }: Key<unknown>,
    json: string,
    revision: number,
    expiresAt: number | null,
    now: number,
    ifRevision: number | undefined,
  ): boolean {
    if (ifRevision === undefined) return this.#sql.put.run(name, encoded, revision, expiresAt, json) > 0;
    if (ifRevision === 0) return this.#sql.create.run(name, encoded, revision, expiresAt, json, now) > 0;
    return this.#sql.update.run(name, encoded, revision, expiresAt, json, now, ifRevision) > 0;
  }
}

const PAGE = 200;

const describe = ({ collection, encoded }: Key<unknown>): string => `${collection.name}/${encoded}`;

const parse = <T>(key: Key<T>, json: string): T => {
  let problem: string;
  try {
    const parsed = key.collection.schema.safeParse(JSON.parse(json));
    if (parsed.success) return parsed.data;
    problem = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "value"}: ${message}`).join("; ");
  } catch (error) {
    problem = messageOf(error);
  }
  throw new AppError("data-unusable", `the stored value of ${describe(key)} cannot be read: ${problem}`);
};

/** An expired row counts as absent, also before a sweep deletes it. */
const statements = (database: Database) => {
  const insert =
    "INSERT INTO entries (collection, key, revision, expires_at, value) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO";
  const replace = "UPDATE SET revision = excluded.revision, expires_at = excluded.expires_at, value = excluded.value";
  return {
    get: database.prepare<StoredRow>(
      "SELECT value, revision, expires_at FROM entries WHERE collection = ?1 AND key = ?2",
    ),
    put: database.prepare(`${insert} ${replace}`),
    create: database.prepare(`${insert} ${replace} WHERE expires_at <= ?6`),
    update: database.prepare(
      `UPDATE entries SET revision = ?3, expires_at = ?4, value = ?5
       WHERE collection = ?1 AND key = ?2 AND revision = ?7 AND (expires_at IS NULL OR expires_at > ?6)`,
    ),
    delete: database.prepare("DELETE FROM entries WHERE collection = ?1 AND key = ?2"),
    deleteIf: database.prepare(
      `DELETE FROM entries
       WHERE collection = ?1 AND key = ?2 AND revision = ?3 AND (expires_at IS NULL OR expires_at > ?4)`,
    ),
    list: database.prepare<[key: string, value: string, revision: number]>(
      `SELECT key, value, revision FROM entries
       WHERE collection = ?1 AND key > ?2 AND key < ?3 AND (expires_at IS NULL OR expires_at > ?4)
       ORDER BY key LIMIT ${PAGE}`,
    ),
  };
};
