interface Sighting {
  readonly revision: number;
  readonly at: number;
}

/**
 * Members of version 0.2 and earlier, which renew their record instead of a beat: those without a new revision for a whole
 * lease, by the local clock. Only a compare-and-set at the server decides.
 */
export class RecordLiveness {
  readonly #leaseMs: number;
  readonly #seen = new Map<string, Sighting>();

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  observe(member: string, revision: number, now: number): void {
    if (this.#seen.get(member)?.revision !== revision) this.#seen.set(member, { revision, at: now });
  }

  forget(member: string): void {
    this.#seen.delete(member);
  }

  /** Call after a time without updates: no revision could arrive. */
  restart(now: number): void {
    for (const [member, { revision }] of this.#seen) this.#seen.set(member, { revision, at: now });
  }

  overdue(now: number): { member: string; revision: number }[] {
    return [...this.#seen]
      .filter(([, { at }]) => now - at >= this.#leaseMs)
      .map(([member, { revision }]) => ({ member, revision }));
  }

  /** The time at which the next member would be overdue. */
  nextDeadline(): number | undefined {
    const times = [...this.#seen.values()].map(({ at }) => at + this.#leaseMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}
