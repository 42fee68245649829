import type { Key, Listed, Prefix, PutOptions, Store, Stored } from "../../../core/contract/ports/store.ts";

/** The store as one process sees it. After the crash of the process it writes nothing more. */
export class MortalStore implements Store {
  readonly #store: Store;
  #dead = false;

  constructor(store: Store) {
    this.#store = store;
  }

  die(): void {
    this.#dead = true;
  }

  get<T>(key: Key<T>): Promise<Stored<T> | undefined> {
    return this.#store.get(key);
  }

  async put<T>(key: Key<T>, value: T, options?: PutOptions): Promise<number> {
    if (this.#dead) throw new Error("this process is dead");
    return this.#store.put(key, value, options);
  }

  async delete(key: Key<unknown>, options?: { ifRevision?: number }): Promise<void> {
    if (this.#dead) throw new Error("this process is dead");
    await this.#store.delete(key, options);
  }

  list<T>(prefix: Prefix<T>): AsyncIterable<Listed<T>> {
    return this.#store.list(prefix);
  }
}
