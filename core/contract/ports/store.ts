import type { Collection, Key, Prefix } from "./collection.ts";

export interface Stored<T> {
  readonly value: T;
  /** Grows with every write of any key in the collection; never used twice. */
  readonly revision: number;
}

export interface Listed<T> extends Stored<T> {
  /** Spelled: `keyParts()` gives its parts back. */
  readonly key: string;
}

export interface PutOptions {
  /** Write only if the key is at this revision; 0: only create. Otherwise rejects with RevisionConflict. */
  readonly ifRevision?: number;
  /** Read as absent, and creatable again, after this long, or after the collection's time if that is shorter. Until it is swept its old revision may still match. */
  readonly ttlMs?: number;
}

export interface Store {
  /** True: all writes go through this object, and they are stored in the order of the calls. */
  readonly exclusive?: boolean;
  /** Returns `known`, a value read before, if it is still current, which saves parsing it again. */
  get<T>(key: Key<T>, known?: Stored<T>): Promise<Stored<T> | undefined>;
  /** Stored when it resolves; resolves to the new revision. */
  put<T>(key: Key<T>, value: T, options?: PutOptions): Promise<number>;
  /** Deleting what is absent is fine, unless a revision was expected. */
  delete(key: Key<unknown>, options?: { ifRevision?: number }): Promise<void>;
  /** In the order of the spelled keys. For start-up, console and sweeps: never per message. */
  list<T>(prefix: Prefix<T>): AsyncIterable<Listed<T>>;
}

/** A larger value is refused by put with "too-large"; bytes of JSON. */
export const MAX_VALUE_BYTES = 512 * 1024;

export type { Collection, Key, Prefix };
