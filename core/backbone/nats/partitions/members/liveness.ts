interface Sighting {
  readonly revision: number;
  readonly at: number;
}

/** Who has not moved for a whole lease, by our own clock. Suspicion only: the server decides, at the revision we saw. */
export class Liveness {
  readonly #leaseMs: number;
  readonly #seen = new Map<string, Sighting>();

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  saw(member: string, revision: number, now: number): void {
    if (this.#seen.get(member)?.revision !== revision) this.#seen.set(member, { revision, at: now });
  }

  gone(member: string): void {
    this.#seen.delete(member);
  }

  /** We were away: nobody could have shown itself to us. */
  restart(now: number): void {
    for (const [member, { revision }] of this.#seen) this.#seen.set(member, { revision, at: now });
  }

  overdue(now: number): { member: string; revision: number }[] {
    return [...this.#seen]
      .filter(([, { at }]) => now - at >= this.#leaseMs)
      .map(([member, { revision }]) => ({ member, revision }));
  }

  /** When the next member would be overdue. */
  nextDeadline(): number | undefined {
    const times = [...this.#seen.values()].map(({ at }) => at + this.#leaseMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}
