import { AppError, RevisionConflict } from "../app-error.ts";
import { BoundedCache } from "../bounded-cache.ts";
import type { Key, PutOptions, Store, Stored } from "./store.ts";

/** Returned by a change to delete the key. */
export const DELETE = Symbol("delete");

/**
 * Returns the new value, or DELETE. The same object, or undefined, means that there is nothing to write. May run several
 * times; `attempt` counts from 1. An error that it throws ends the update, and nothing is written.
 */
export type Change<T, Current> = (
  current: Current,
  attempt: number,
) => T | typeof DELETE | undefined | Promise<T | typeof DELETE | undefined>;

export interface UpdateOptions<T, Initial> {
  /** The value of an absent key; undefined without this option. */
  readonly initial?: Initial;
  /**
   * Replaces the read of the first attempt. The value may be stale: a conflict detects that, and "unchanged" is decided
   * on the stored value.
   */
  readonly known?: Stored<T> | "absent" | undefined;
  /** Reads through this cache of parsed values, and caches the value that it writes. */
  readonly cache?: LastRead<T>;
  /** Expiry of the written value; undefined: that of its collection. */
  readonly ttlMs?: number | ((written: T) => number | undefined);
}

export interface Updated<Current> {
  readonly outcome: "written" | "unchanged" | "deleted";
  readonly before: Current;
  /** The value that the key has now. */
  readonly after: Current;
  /** The revision of the record; 0 if the key is absent. */
  readonly revision: number;
  /** 2 or more: other processes changed the key at the same time. */
  readonly attempts: number;
}

/** Reads a key, changes its value and writes it by compare-and-set. Retries after a conflict, so no update is lost. */
export const update = <T, Initial extends T | undefined = undefined>(
  store: Store,
  key: Key<T>,
  change: Change<T, T | Initial>,
  { initial, known, cache, ttlMs }: UpdateOptions<T, Initial> = {},
): Promise<Updated<T | Initial>> => {
  const read = () => (cache === undefined ? store.get(key) : cache.get(store, key));
  const attemptWith = async (stored: Stored<T> | undefined, attempts: number): Promise<Updated<T | Initial>> => {
    const revision = stored?.revision ?? 0;
    const before = (stored === undefined ? initial : stored.value) as T | Initial;
    const changed = await change(before, attempts);
    const isDeletion = changed === DELETE;
    if (changed === undefined || changed === before || (isDeletion && stored === undefined)) {
      return { outcome: "unchanged", before, after: before, revision, attempts };
    }
    if (isDeletion) {
      await store.delete(key, { ifRevision: revision });
      cache?.note(store, key, undefined);
      return { outcome: "deleted", before, after: initial as T | Initial, revision: 0, attempts };
    }
    const life = typeof ttlMs === "function" ? ttlMs(changed) : ttlMs;
    const written = await store.put(key, changed, {
      ifRevision: revision,
      ...(life !== undefined && { ttlMs: life }),
    });
    cache?.note(store, key, { value: changed, revision: written });
    return { outcome: "written", before, after: changed, revision: written, attempts };
  };
  return retryConflicts(async (attempt) => {
    if (attempt === 1 && known !== undefined) {
      const guessed = await attemptWith(known === "absent" ? undefined : known, attempt);
      if (guessed.outcome !== "unchanged") return guessed;
    }
    return attemptWith(await read(), attempt);
  });
};

/** Far more than real contention causes, because one writer wins each round. */
const MAX_ATTEMPTS = 1_000;

/** Repeats a step while it loses a compare-and-set. For a step that spans several keys; otherwise use `update`. */
export const retryConflicts = async <R>(step: (attempt: number) => Promise<R>): Promise<R> => {
  let last: RevisionConflict | undefined;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      return await step(attempt);
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      last = error;
    }
  }
  const message = `stopped after ${MAX_ATTEMPTS} attempts, all lost to other writers; try again (${last?.message})`;
  throw new AppError("unavailable", message, { cause: last });
};

/** Writes a value unless the key has changed since `revision`. Resolves to the new revision; undefined: it has changed. */
export const putIfUnchanged = async <T>(
  store: Store,
  key: Key<T>,
  value: T,
  revision: number,
  options: Pick<PutOptions, "ttlMs"> = {},
): Promise<number | undefined> => {
  try {
    return await store.put(key, value, { ...options, ifRevision: revision });
  } catch (error) {
    if (error instanceof RevisionConflict) return undefined;
    throw error;
  }
};

/** Creates a key. Resolves to its revision; undefined: it exists already. */
export const createOnce = <T>(
  store: Store,
  key: Key<T>,
  value: T,
  options?: Pick<PutOptions, "ttlMs">,
): Promise<number | undefined> => putIfUnchanged(store, key, value, 0, options);

/** Creates a key, or reads the value that another process has created first. */
export const createOrRead = async <T>(store: Store, key: Key<T>, value: T): Promise<{ value: T; isNew: boolean }> => {
  if ((await createOnce(store, key, value)) !== undefined) return { value, isNew: true };
  const first = await store.get(key);
  if (first !== undefined) return { value: first.value, isNew: false };
  throw new AppError("conflict", `"${key.encoded}" expired just now; try again`);
};

/**
 * Caches parsed values, so that an unchanged value is not parsed again. Every read still gets the revision from the store.
 * All readers share a value, so it must not be mutated.
 */
export class LastRead<T> {
  readonly #byStore = new WeakMap<Store, BoundedCache<string, Stored<T>>>();
  readonly #maxCached: number;

  constructor(maxCached = MAX_CACHED) {
    this.#maxCached = maxCached;
  }

  async get(store: Store, key: Key<T>): Promise<Stored<T> | undefined> {
    const stored = await store.get(key, this.#of(store).get(key.encoded));
    this.note(store, key, stored);
    return stored;
  }

  /** The cached value; other processes may have changed it since. */
  peek(store: Store, { encoded }: Key<T>): Stored<T> | undefined {
    return this.#of(store).get(encoded);
  }

  /** Caches a value that was just written, or read by other means. */
  note(store: Store, { encoded }: Key<T>, stored: Stored<T> | undefined): void {
    if (stored === undefined) this.#of(store).delete(encoded);
    else this.#of(store).set(encoded, stored);
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
