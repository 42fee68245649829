import { RevisionConflict } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import type { Key, Listed, Prefix, PutOptions, Store, Stored } from "../../../core/contract/ports/store.ts";

interface StoredEntry {
  readonly json: string;
  readonly revision: number;
  readonly expiresAt: number;
}

/** An in-memory store: values pass through JSON and their schema. It counts writes and can fail on demand. */
export class MemoryStore implements Store {
  readonly writes: string[] = [];
  reads = 0;
  /** Called before each operation; a throw simulates a failure, a promise a delay. */
  before: (operation: "get" | "put" | "stored", collection: string) => void | Promise<void> = () => undefined;
  readonly #clock: Clock;
  readonly #stored = new Map<string, StoredEntry>();
  #revision = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Keys of all stored values, as "collection/key". */
  names(): string[] {
    return [...this.#stored.keys()];
  }

  /** All stored values, as text. */
  text(): string {
    return [...this.#stored.values()].map(({ json }) => json).join("\n");
  }

  async get<T>(key: Key<T>): Promise<Stored<T> | undefined> {
    await this.before("get", key.collection.name);
    this.reads++;
    const stored = this.#at(key);
    return stored && { value: key.collection.schema.parse(JSON.parse(stored.json)), revision: stored.revision };
  }

  async put<T>(key: Key<T>, value: T, { ifRevision, ttlMs }: PutOptions = {}): Promise<number> {
    await this.before("put", key.collection.name);
    const there = this.#at(key)?.revision ?? 0;
    if (ifRevision !== undefined && ifRevision !== there) throw new RevisionConflict(key.encoded, ifRevision);
    const life = ttlMs ?? key.collection.ttlMs;
    const expiresAt = life === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() + life;
    const revision = ++this.#revision;
    this.#stored.set(nameOf(key), { json: JSON.stringify(value), revision, expiresAt });
    this.writes.push(key.collection.name);
    await this.before("stored", key.collection.name);
    return revision;
  }

  async delete(key: Key<unknown>, { ifRevision }: { ifRevision?: number } = {}): Promise<void> {
    await this.before("put", key.collection.name);
    const there = this.#at(key)?.revision ?? 0;
    if (ifRevision !== undefined && ifRevision !== there) throw new RevisionConflict(key.encoded, ifRevision);
    this.#stored.delete(nameOf(key));
  }

  async *list<T>(prefix: Prefix<T>): AsyncIterable<Listed<T>> {
    const below = `${prefix.collection.name}/${prefix.encoded === "" ? "" : `${prefix.encoded}.`}`;
    for (const [name, stored] of [...this.#stored].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (!name.startsWith(below)) continue;
      const value = prefix.collection.schema.parse(JSON.parse(stored.json));
      yield { key: name.slice(prefix.collection.name.length + 1), value, revision: stored.revision };
    }
  }

  #at(key: Key<unknown>): StoredEntry | undefined {
    const stored = this.#stored.get(nameOf(key));
    return stored && stored.expiresAt > this.#clock.now() ? stored : undefined;
  }
}

const nameOf = (key: Key<unknown>): string => `${key.collection.name}/${key.encoded}`;
