/** Idempotency keys of the entries after `low`, up to the head of a log. */
export class RecentIds {
  /** Created on first use, because most open sockets are idle. */
  #seqs: Map<string, number> | undefined;
  #low: number;
  /** This process has seen every entry since this time, even if it evicted the id. Wall clock, milliseconds. */
  completeSince: number;

  /** `seenAt`: when `head` was the log's end. */
  constructor(head: number, seenAt: number) {
    this.#low = head;
    this.completeSince = seenAt;
  }

  get low(): number {
    return this.#low;
  }

  seqOf(once: string): number | undefined {
    return this.#seqs?.get(once);
  }

  /** Adds an entry at the log's end. */
  append(seq: number, once: string): void {
    this.#seqs ??= new Map();
    this.#seqs.set(once, seq);
    if (seq - this.#low > 2 * RECENT_ENTRIES) this.#evictUpTo(seq - RECENT_ENTRIES);
  }

  /** Adds the entry at `low`. */
  prepend(once: string | undefined): void {
    this.#seqs ??= new Map();
    if (once !== undefined && !this.#seqs.has(once)) this.#seqs.set(once, this.#low);
    this.#low--;
  }

  #evictUpTo(low: number): void {
    for (const [once, seq] of this.#seqs ?? []) if (seq <= low) this.#seqs?.delete(once);
    this.#low = low;
  }
}

/** How far back an append searches for a duplicate of unknown age. */
export const RECENT_ENTRIES = 200;
