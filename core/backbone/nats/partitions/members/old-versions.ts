import type { Clock } from "../../../../contract/ports/clock.ts";

interface OldVersionsDeps {
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Monotonic time at which the list of members had every record that existed then. */
  completeAt(): number;
}

/**
 * Processes up to version 0.2 look at the record only, and delete one that was not rewritten for a lease. So the lease of
 * this process needs a proof that they see it as alive: its record was rewritten, or a complete list of members had no
 * process of such a version.
 */
export class OldVersions {
  readonly #deps: OldVersionsDeps;
  readonly #members = new Set<string>();
  /** Monotonic time of the last proof. */
  #provenAt = Number.NEGATIVE_INFINITY;
  /** Monotonic time at which the last member of an old version disappeared from the list. */
  #lastSeenAt = Number.NEGATIVE_INFINITY;

  constructor(deps: OldVersionsDeps) {
    this.#deps = deps;
  }

  seen(member: string, isOld: boolean): void {
    if (isOld) this.#members.add(member);
    else if (this.#members.delete(member)) this.#lastSeenAt = this.#deps.clock.monotonic();
  }

  has(member: string): boolean {
    return this.#members.has(member);
  }

  /** The server has stored the record; its write began at this monotonic time. */
  recordStored(startedAt: number): void {
    this.#provenAt = startedAt;
  }

  /** The last proof is younger than this share of a lease. */
  seeAlive(share: number): boolean {
    const { clock, leaseMs, completeAt } = this.#deps;
    const limit = clock.monotonic() - leaseMs * share;
    const isAlone = this.#members.size === 0 && completeAt() > this.#lastSeenAt;
    // Once a proof has expired, a process of an old version may have sent a deletion: only a new record is a proof then.
    const hasExpired = this.#provenAt <= clock.monotonic() - leaseMs * MAX_PROOF_SHARE;
    if (isAlone && !hasExpired) this.#provenAt = Math.max(this.#provenAt, completeAt());
    return this.#provenAt > limit;
  }
}

/** Others wait a whole lease; the margin covers clocks that run at slightly different speeds. */
const MAX_PROOF_SHARE = 0.9;
