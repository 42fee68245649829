import { RevisionConflict } from "../../core/contract/app-error.ts";
import type { Key, Listed, Prefix, PutOptions, Store, Stored } from "../../core/contract/ports/store.ts";

/** A store in memory that answers each call in a later tick, so that concurrent callers interleave. */
export class MemoryStore implements Store {
  readonly #values = new Map<string, Stored<string>>();
  #revision = 0;
  reads = 0;
  writes = 0;
  /** Called before each answer. */
  delay: () => Promise<void> = async () => undefined;

  async get<T>(key: Key<T>): Promise<Stored<T> | undefined> {
    this.reads++;
    await this.delay();
    const found = this.#values.get(nameOf(key));
    return found && { value: key.collection.schema.parse(JSON.parse(found.value)), revision: found.revision };
  }

  async put<T>(key: Key<T>, value: T, { ifRevision }: PutOptions = {}): Promise<number> {
    this.writes++;
    await this.delay();
    this.#expect(key, ifRevision);
    this.#values.set(nameOf(key), { value: JSON.stringify(value), revision: ++this.#revision });
    return this.#revision;
  }

  async delete(key: Key<unknown>, { ifRevision }: { ifRevision?: number } = {}): Promise<void> {
    this.writes++;
    await this.delay();
    this.#expect(key, ifRevision);
    this.#values.delete(nameOf(key));
  }

  async *list<T>({ collection, encoded }: Prefix<T>): AsyncIterable<Listed<T>> {
    const start = `${collection.name}:${encoded === "" ? "" : `${encoded}.`}`;
    for (const [name, { value, revision }] of [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (!name.startsWith(start)) continue;
      const key = name.slice(collection.name.length + 1);
      yield { key, value: collection.schema.parse(JSON.parse(value)), revision };
    }
  }

  #expect(key: Key<unknown>, ifRevision: number | undefined): void {
    const current = this.#values.get(nameOf(key))?.revision ?? 0;
    if (ifRevision !== undefined && ifRevision !== current) throw new RevisionConflict(key.encoded, ifRevision);
  }
}

const nameOf = ({ collection, encoded }: Key<unknown>): string => `${collection.name}:${encoded}`;
