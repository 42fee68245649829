import type { Key, Listed, Prefix, PutOptions, Store, Stored } from "../../../core/contract/ports/store.ts";

/** The store as one process sees it. After the crash of the process it writes nothing more. */
export class CrashingStore implements Store {
  readonly #store: Store;
  #hasCrashed = false;

  constructor(store: Store) {
    this.#store = store;
  }

  crash(): void {
    this.#hasCrashed = true;
  }

  get<T>(key: Key<T>): Promise<Stored<T> | undefined> {
    return this.#store.get(key);
  }

  async put<T>(key: Key<T>, value: T, options?: PutOptions): Promise<number> {
    if (this.#hasCrashed) throw new Error("this process has crashed");
    return this.#store.put(key, value, options);
  }

  async delete(key: Key<unknown>, options?: { ifRevision?: number }): Promise<void> {
    if (this.#hasCrashed) throw new Error("this process has crashed");
    await this.#store.delete(key, options);
  }

  list<T>(prefix: Prefix<T>): AsyncIterable<Listed<T>> {
    return this.#store.list(prefix);
  }
}
