import type { Key, Store, Stored } from "./store.ts";

/**
 * Reads values and remembers them, so that one that has not changed since is not parsed again. What is current the store
 * says every time. A value is shared by all who read it: nobody may change it.
 */
export class LastRead<T> {
  readonly #byStore = new WeakMap<Store, Map<string, Stored<T>>>();
  readonly #mostKept: number;

  constructor(mostKept = MOST_KEPT) {
    this.#mostKept = mostKept;
  }

  async get(store: Store, key: Key<T>): Promise<Stored<T> | undefined> {
    const stored = await store.get(key, this.#of(store).get(key.spelled));
    this.note(store, key, stored);
    return stored;
  }

  /** As this process last read or wrote it. Others may have changed it since. */
  peek(store: Store, { spelled }: Key<T>): Stored<T> | undefined {
    return this.#of(store).get(spelled);
  }

  /** As it was just written, or read by other means. */
  note(store: Store, { spelled }: Key<T>, stored: Stored<T> | undefined): void {
    const known = this.#of(store);
    // Behind all others: the oldest go first.
    known.delete(spelled);
    if (stored === undefined) return;
    if (known.size >= this.#mostKept) known.delete(known.keys().next().value as string);
    known.set(spelled, stored);
  }

  #of(store: Store): Map<string, Stored<T>> {
    const known = this.#byStore.get(store);
    if (known) return known;
    const made = new Map<string, Stored<T>>();
    this.#byStore.set(store, made);
    return made;
  }
}

const MOST_KEPT = 5_000;
