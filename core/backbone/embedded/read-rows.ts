/** A value as it is stored. */
export type StoredRow = readonly [value: string, revision: number, expiresAt: number | null];

/** Without the value, if that is long: it takes longer to parse than to read. */
type KeptRow = readonly [value: string | undefined, revision: number, expiresAt: number | null];

/**
 * Rows of the store that were read lately, absent ones too: a message asks the same few again and again, and nobody
 * else writes to the file. What is written is forgotten here first.
 */
export class ReadRows {
  readonly #rows = new Map<string, KeptRow | undefined>();

  /** The row as it was read before, or as it is read now. */
  get(collection: string, key: string, read: () => StoredRow | undefined): StoredRow | undefined {
    const place = placeOf(collection, key);
    const known = this.#rows.get(place);
    if (known === undefined ? this.#rows.has(place) : hasValue(known)) return known as StoredRow | undefined;
    const row = read();
    this.#keep(place, row);
    return row;
  }

  /** When the row expires, if it is known to be at this revision. */
  expiryAt(collection: string, key: string, revision: number): number | null | undefined {
    const known = this.#rows.get(placeOf(collection, key));
    return known?.[1] === revision ? known[2] : undefined;
  }

  /** Whether it had been read: what is read before it is written will be read again. */
  forget(collection: string, key: string): boolean {
    return this.#rows.delete(placeOf(collection, key));
  }

  /** It is stored like this now. */
  note(collection: string, key: string, row: StoredRow): void {
    this.#keep(placeOf(collection, key), row);
  }

  clear(): void {
    this.#rows.clear();
  }

  #keep(place: string, row: StoredRow | undefined): void {
    if (this.#rows.size >= MOST_KEPT) this.#rows.delete(this.#rows.keys().next().value as string);
    this.#rows.set(place, row && (row[0].length <= LONGEST_KEPT ? row : [undefined, row[1], row[2]]));
  }
}

const hasValue = (row: KeptRow): row is StoredRow => row[0] !== undefined;

/** Neither has a "/" in it. */
const placeOf = (collection: string, key: string): string => `${collection}/${key}`;

const MOST_KEPT = 10_000;
/** In UTF-16 units. */
const LONGEST_KEPT = 1_000;
