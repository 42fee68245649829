/**
 * When revisions expire that this process read or wrote lately, so that a compare-and-set on one of them need not read it
 * first. A revision never changes, so this cannot go stale.
 */
export class KnownExpiries {
  readonly #known = new Map<string, number | undefined>();

  note(bucket: string, revision: number, expiresAt: number | undefined): void {
    const oldest = this.#known.size >= MOST_KNOWN ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(`${bucket}/${revision}`, expiresAt);
  }

  of(bucket: string, revision: number): { expiresAt: number | undefined } | undefined {
    const key = `${bucket}/${revision}`;
    return this.#known.has(key) ? { expiresAt: this.#known.get(key) } : undefined;
  }
}

const MOST_KNOWN = 10_000;
