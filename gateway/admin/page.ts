import { z } from "zod";
import { AppError } from "../../core/contract/app-error.ts";
import type { Page, PageQuery } from "../admin-api/index.ts";

interface Entry<T> {
  readonly key: string;
  readonly value: T;
}

/** One of the lists that a page is read from, sorted by key. */
interface Source<T> {
  readonly name: string;
  list(): AsyncIterable<Entry<T>>;
}

/** Reads one page of several consecutive lists; entries for which `show` returns undefined are skipped. */
export const pageOf = async <T, S>(
  sources: readonly Source<T>[],
  { limit, after }: PageQuery,
  show: (value: T, key: string) => S | undefined | Promise<S | undefined>,
): Promise<Page<S>> => {
  const [name, lastKey] = after === undefined ? [] : cursorOf(after);
  const from = name === undefined ? 0 : sources.findIndex((source) => source.name === name);
  if (from < 0) throw badCursor();
  const items: S[] = [];
  let last = "";
  for (const source of sources.slice(from)) {
    for await (const { key, value } of source.list()) {
      if (source.name === name && lastKey !== undefined && key <= lastKey) continue;
      const shown = await show(value, key);
      if (shown === undefined) continue;
      if (items.length === limit) return { items, next: last };
      items.push(shown);
      last = refOf(source.name, key);
    }
  }
  return { items };
};

/** A list in buckets, such as days, the newest first. */
interface Timeline<T> {
  readonly buckets: readonly string[];
  /** All entries of a bucket, the newest first; their keys are unique in it. */
  read(bucket: string): Promise<readonly Entry<T>[]>;
}

/** Entries that one request reads at most: a rare filter makes short pages, not slow ones. */
const MAX_READ = 2_000;

/**
 * Reads one page of a timeline, bucket by bucket, so that its cost does not grow with the list. A page may be short, or
 * empty, and still have a `next`.
 */
export const timelinePage = async <T, S>(
  { buckets, read }: Timeline<T>,
  { limit, after }: PageQuery,
  show: (value: T, key: string) => S | undefined,
): Promise<Page<S>> => {
  const [bucketAfter, keyAfter] = after === undefined ? [] : cursorOf(after);
  const items: S[] = [];
  let last = "";
  let count = 0;
  for (const bucket of buckets) {
    // A bucket is left out once it has expired, so the position is found by order.
    if (bucketAfter !== undefined && bucket > bucketAfter) continue;
    const entries = await read(bucket);
    const from = bucket === bucketAfter ? entries.findIndex(({ key }) => key > (keyAfter ?? "")) : 0;
    for (const { key, value } of from < 0 ? [] : entries.slice(from)) {
      const shown = show(value, key);
      if (shown !== undefined && items.length === limit) return { items, next: last };
      last = refOf(bucket, key);
      if (shown !== undefined) items.push(shown);
      if (++count >= MAX_READ) return { items, next: last };
    }
  }
  return { items };
};

const cursorOf = (after: string): [string, string] => {
  const [name, key] = readRef(after) ?? [];
  if (name === undefined || key === undefined) throw badCursor();
  return [name, key];
};

export const badCursor = () =>
  new AppError("bad-input", "after: must be the `next` of the previous page; omit it for the first page");

/** Encodes the parts of an id for use in a path. Opaque to clients. */
export const refOf = (...parts: readonly string[]): string => Buffer.from(JSON.stringify(parts)).toString("base64url");

/** The parts of a ref. Throws "not-found" for an invalid one. */
export const partsOfRef = (ref: string, count: number): string[] => {
  const parts = readRef(ref);
  if (parts?.length !== count) throw new AppError("not-found", "this ref is not valid: take it from a list of the API");
  return parts;
};

export const readRef = (ref: string): string[] | undefined => {
  try {
    return z.array(z.string()).parse(JSON.parse(Buffer.from(ref, "base64url").toString("utf8")));
  } catch {
    return undefined;
  }
};
