import type { WriteAncestry } from "./write-ancestry.ts";

export interface KnownRevision {
  readonly expiresAt: number | undefined;
  readonly ancestry: WriteAncestry;
}

/**
 * What this process lately read or wrote, so that a compare-and-set need not read first what it builds upon. A revision
 * never changes, so this cannot go stale.
 */
export class RecentRevisions {
  readonly #known = new Map<number, KnownRevision>();

  note(revision: number, known: KnownRevision): void {
    const oldest = this.#known.size >= MOST_KNOWN ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(revision, known);
  }

  get(revision: number): KnownRevision | undefined {
    return this.#known.get(revision);
  }
}

const MOST_KNOWN = 2_000;
