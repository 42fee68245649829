import type { z } from "zod";
import { AppError } from "../app-error.ts";
import { decodeToken, encodeToken } from "./token.ts";

/** Values of one kind, kept together. Its file is the only one that spells its keys. */
export interface Collection<T> {
  /** Lower-case letters and "-". */
  readonly name: string;
  readonly schema: z.ZodType<T>;
  /** All values of the collection expire this long after their last write. */
  readonly ttlMs?: number;
}

export interface Key<T> {
  readonly collection: Collection<T>;
  readonly spelled: string;
}

/** Whole parts: the prefix ("a") covers ("a", "b") and never ("ab"). */
export type Prefix<T> = Key<T>;

export const collection = <T>(name: string, schema: z.ZodType<T>, options?: { ttlMs: number }): Collection<T> => ({
  name,
  schema,
  ...options,
});

export const keyOf = <T>(collection: Collection<T>, ...parts: readonly [string, ...string[]]): Key<T> => {
  const spelled = parts.map(encodeToken).join(".");
  if (spelled.length > MAX_KEY_LENGTH) {
    throw new AppError(
      "too-large",
      `a key of "${collection.name}" has ${spelled.length} characters; ${MAX_KEY_LENGTH} is the most`,
    );
  }
  return { collection, spelled };
};

/** Without parts: the whole collection. */
export const prefixOf = <T>(collection: Collection<T>, ...parts: readonly string[]): Prefix<T> => ({
  collection,
  spelled: parts.map(encodeToken).join("."),
});

export const keyParts = (spelled: string): string[] => spelled.split(".").map(decodeToken);

/** A NATS subject must fit the server's control line of 4,096 bytes. */
const MAX_KEY_LENGTH = 3_000;
