/** Which ids the entries of a log's end have: all of those after `low`, up to the head. */
export class RecentIds {
  /** Made when it is needed: most sockets that are open are idle. */
  #seqs: Map<string, number> | undefined;
  #low: number;
  /** What was appended at this time or later was met here, if only to be forgotten again. Wall clock, milliseconds. */
  completeSince: number;

  /** `seenAt`: when the head was the log's end. */
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

  /** The log has grown by this entry. */
  append(seq: number, once: string): void {
    this.#seqs ??= new Map();
    this.#seqs.set(once, seq);
    if (seq - this.#low > 2 * RECENT_ENTRIES) this.#forgetUpTo(seq - RECENT_ENTRIES);
  }

  /** The entry at `low` was read too. */
  prepend(once: string | undefined): void {
    this.#seqs ??= new Map();
    if (once !== undefined && !this.#seqs.has(once)) this.#seqs.set(once, this.#low);
    this.#low--;
  }

  #forgetUpTo(low: number): void {
    for (const [once, seq] of this.#seqs ?? []) if (seq <= low) this.#seqs?.delete(once);
    this.#low = low;
  }
}

/** How far back a repeat is looked for when nothing tells how old it could be. */
export const RECENT_ENTRIES = 200;
