/** A value as it is stored. */
export type StoredRow = readonly [value: string, revision: number, expiresAt: number | null];

/**
 * Rows of the store that were read lately, absent ones too: a message asks the same few again and again, and nobody
 * else writes to the file. What is written is forgotten here first.
 */
export class ReadRows {
  readonly #rows = new Map<string, StoredRow | undefined>();

  /** The row as it was read before, or as it is read now. */
  get(collection: string, key: string, read: () => StoredRow | undefined): StoredRow | undefined {
    const place = placeOf(collection, key);
    const known = this.#rows.get(place);
    if (known !== undefined || this.#rows.has(place)) return known;
    const row = read();
    if (row === undefined || row[0].length <= LONGEST_KEPT) this.#keep(place, row);
    return row;
  }

  forget(collection: string, key: string): void {
    this.#rows.delete(placeOf(collection, key));
  }

  clear(): void {
    this.#rows.clear();
  }

  #keep(place: string, row: StoredRow | undefined): void {
    if (this.#rows.size >= MOST_KEPT) this.#rows.delete(this.#rows.keys().next().value as string);
    this.#rows.set(place, row);
  }
}

/** Neither has a "/" in it. */
const placeOf = (collection: string, key: string): string => `${collection}/${key}`;

const MOST_KEPT = 10_000;
/** In UTF-16 units: a long one takes longer to parse than to read. */
const LONGEST_KEPT = 1_000;
