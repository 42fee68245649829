/**
 * The members in a ring, sorted by id. Each process checks the beats of the next ones only, so the checks do not grow with
 * the square of the processes. When a member leaves the ring, the one behind it moves up.
 */
export class Ring {
  readonly #members = new Set<string>();
  readonly #ownId: () => string;
  #next: { readonly ownId: string; readonly members: readonly string[] } | undefined;

  constructor(ownId: () => string) {
    this.#ownId = ownId;
  }

  /** True if the next members have changed. */
  add(member: string): boolean {
    if (this.#members.has(member)) return false;
    this.#members.add(member);
    const last = this.#next?.members.at(CHECKED_BY_EACH - 1);
    if (last !== undefined && !this.#isBefore(member, last)) return false;
    this.#next = undefined;
    return true;
  }

  /** True if the next members have changed. */
  delete(member: string): boolean {
    if (!this.#members.delete(member) || !this.#next?.members.includes(member)) return false;
    this.#next = undefined;
    return true;
  }

  /** The members whose beats this process checks. */
  get next(): readonly string[] {
    const ownId = this.#ownId();
    if (this.#next?.ownId !== ownId) {
      const sorted = [...this.#members]
        .filter((member) => member !== ownId)
        .sort((a, b) => (this.#isBefore(a, b) ? -1 : 1));
      this.#next = { ownId, members: sorted.slice(0, CHECKED_BY_EACH) };
    }
    return this.#next.members;
  }

  /** Seen from this process, once around. */
  #isBefore(a: string, b: string): boolean {
    const ownId = this.#ownId();
    return a > ownId === b > ownId ? a < b : a > ownId;
  }
}

/** A member is declared dead although two of the processes that check it have crashed or cannot read. */
const CHECKED_BY_EACH = 3;
