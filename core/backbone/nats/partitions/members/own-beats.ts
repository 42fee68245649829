interface ConfirmedBeat {
  readonly revision: number;
  /** Monotonic time of the server's answer. */
  readonly at: number;
}

/**
 * The beats of this process that the server confirmed without an interruption. All writes of a bucket have one order: a
 * beat of another process with a lower revision than an own beat that was confirmed a lease ago was not renewed for a
 * lease. So no history of the other process is needed.
 */
export class OwnBeats {
  readonly #leaseMs: number;
  /** In order of revision. */
  #confirmed: ConfirmedBeat[] = [];

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  get isEmpty(): boolean {
    return this.#confirmed.length === 0;
  }

  /** Call after a time in which other processes could not renew: each of them gets a whole lease again. */
  restart(): void {
    this.#confirmed = [];
  }

  confirm(revision: number, now: number): void {
    // The bucket was replaced, so older revisions prove nothing.
    if (revision <= (this.#confirmed.at(-1)?.revision ?? 0)) this.restart();
    // Of the beats that are a lease old, the newest one proves the most.
    const ripe = this.#confirmed.filter(({ at }) => now - at >= this.#leaseMs).length;
    this.#confirmed = [...this.#confirmed.slice(Math.max(0, ripe - 1)), { revision, at: now }];
  }

  /** The time from which on a beat at this revision has expired. Undefined until a later own beat is confirmed. */
  expiryOf(revision: number): number | undefined {
    const later = this.#confirmed.find((own) => own.revision > revision);
    return later && later.at + this.#leaseMs;
  }
}
