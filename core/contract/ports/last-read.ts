import { BoundedCache } from "../bounded-cache.ts";
import type { Key, Store, Stored } from "./store.ts";

/**
 * Caches parsed values, so that an unchanged value is not parsed again. Every read still asks the store for the revision.
 * All readers share a value, so it must not be mutated.
 */
export class LastRead<T> {
  readonly #byStore = new WeakMap<Store, BoundedCache<string, Stored<T>>>();
  readonly #maxCached: number;

  constructor(maxCached = MAX_CACHED) {
    this.#maxCached = maxCached;
  }

  async get(store: Store, key: Key<T>): Promise<Stored<T> | undefined> {
    const stored = await store.get(key, this.#of(store).get(key.spelled));
    this.note(store, key, stored);
    return stored;
  }

  /** The cached value; other processes may have changed it since. */
  peek(store: Store, { spelled }: Key<T>): Stored<T> | undefined {
    return this.#of(store).get(spelled);
  }

  /** Caches a value that was just written, or read by other means. */
  note(store: Store, { spelled }: Key<T>, stored: Stored<T> | undefined): void {
    if (stored === undefined) this.#of(store).delete(spelled);
    else this.#of(store).set(spelled, stored);
  }

  #of(store: Store): BoundedCache<string, Stored<T>> {
    const known = this.#byStore.get(store);
    if (known) return known;
    const made = new BoundedCache<string, Stored<T>>(this.#maxCached);
    this.#byStore.set(store, made);
    return made;
  }
}

const MAX_CACHED = 5_000;
