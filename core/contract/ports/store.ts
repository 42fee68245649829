import type { z } from "zod";
import { AppError } from "../app-error.ts";
import { decodeToken, encodeToken } from "./token.ts";

/** The records of one kind. The file that declares it is the only one that spells its keys. */
export interface Collection<T> {
  /** Lower-case letters and "-". */
  readonly name: string;
  readonly schema: z.ZodType<T>;
  /** All values of the collection expire this long after their last write. */
  readonly ttlMs?: number;
}

export interface Key<T> {
  readonly collection: Collection<T>;
  readonly encoded: string;
}

/** Consists of whole parts: the prefix ("a") covers ("a", "b") and never ("ab"). */
export type Prefix<T> = Key<T>;

export const collection = <T>(name: string, schema: z.ZodType<T>, options?: { ttlMs: number }): Collection<T> => ({
  name,
  schema,
  ...options,
});

export const keyOf = <T>(collection: Collection<T>, ...parts: readonly [string, ...string[]]): Key<T> => {
  const encoded = parts.map(encodeToken).join(".");
  if (encoded.length > MAX_KEY_LENGTH) {
    throw new AppError(
      "too-large",
      `a key of "${collection.name}" has ${encoded.length} characters; at most ${MAX_KEY_LENGTH} are allowed`,
    );
  }
  return { collection, encoded };
};

/** Without parts: the whole collection. */
export const prefixOf = <T>(collection: Collection<T>, ...parts: readonly string[]): Prefix<T> => ({
  collection,
  encoded: parts.map(encodeToken).join("."),
});

export const keyParts = (encoded: string): string[] => encoded.split(".").map(decodeToken);

/** A NATS subject must fit the server's control line of 4,096 bytes. */
const MAX_KEY_LENGTH = 3_000;

export interface Stored<T> {
  readonly value: T;
  /** Increases with every write of any key in the collection; never reused. */
  readonly revision: number;
}

export interface Listed<T> extends Stored<T> {
  /** In encoded form; `keyParts()` decodes it. */
  readonly key: string;
}

export interface PutOptions {
  /** Write only if the key is at this revision; 0: only create. Otherwise rejects with RevisionConflict. */
  readonly ifRevision?: number;
  /**
   * After this time, or the collection's TTL if that is shorter, the key counts as absent and can be created again. Until
   * a sweep deletes the value, its revision may still match.
   */
  readonly ttlMs?: number;
}

export interface Store {
  /** True: all writes go through this object, and they are stored in the order of the calls. */
  readonly exclusive?: boolean;
  /** Returns `known`, a value read before, if it is still current, which saves parsing it again. */
  get<T>(key: Key<T>, known?: Stored<T>): Promise<Stored<T> | undefined>;
  /** Stored when it resolves; resolves to the new revision. */
  put<T>(key: Key<T>, value: T, options?: PutOptions): Promise<number>;
  /** Deleting an absent key succeeds, unless a revision was expected. */
  delete(key: Key<unknown>, options?: { ifRevision?: number }): Promise<void>;
  /** Lists in the order of the encoded keys. For start-up, console and sweeps, never per message, because it scans. */
  list<T>(prefix: Prefix<T>): AsyncIterable<Listed<T>>;
}

/** In bytes of JSON; `put` rejects a larger value with "too-large". */
export const MAX_VALUE_BYTES = 512 * 1024;
