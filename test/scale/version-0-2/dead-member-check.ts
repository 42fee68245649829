import { Backoff } from "../../../core/backbone/nats/connection/backoff.ts";
import type { KvBucket } from "../../../core/backbone/nats/kv/kv-bucket.ts";
import { RevisionConflict } from "../../../core/contract/app-error.ts";
import type { Clock, Timer } from "../../../core/contract/ports/clock.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";

interface DeadMemberCheckDeps {
  readonly bucket: KvBucket;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  readonly random: () => number;
  /** False without a connection, and while this process stops. */
  isActive(): boolean;
  /** Renews the lease of this process; it calls confirmed() if the store confirms the write. */
  renew(): Promise<void>;
  /** Reads the record of a member from the server. */
  refresh(member: string): Promise<unknown>;
}

/**
 * Version 0.2.0, frozen. Deletes the records of members that have not renewed for a lease. Only time in which the store confirms the writes of
 * this process counts: while a cluster has no quorum, no member can renew, so none counts as dead.
 */
export class DeadMemberCheck {
  readonly #deps: DeadMemberCheckDeps;
  readonly #liveness: Liveness;
  readonly #backoff: Backoff;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** Monotonic start time of a lookup without an answer yet. */
  #lookingSince: number | undefined;
  #timer: Timer | undefined;
  /** Before the next check, after one that failed. */
  #pauseMs = 0;

  constructor(deps: DeadMemberCheckDeps) {
    this.#deps = deps;
    this.#liveness = new Liveness(deps.leaseMs);
    this.#backoff = new Backoff({ ...deps, ...CHECKING });
  }

  /** Another member's record is at this revision. */
  observe(member: string, revision: number): void {
    this.#liveness.observe(member, revision, this.#deps.clock.monotonic());
  }

  forget(member: string): void {
    this.#liveness.forget(member);
  }

  /** Call after a time without updates: each member gets a whole lease again. */
  restart(): void {
    this.#liveness.restart(this.#deps.clock.monotonic());
  }

  /** The store confirmed a write of this process. */
  confirmed(): void {
    if (!this.isConfirmed) this.restart();
    this.#confirmedAt = this.#deps.clock.monotonic();
  }

  /**
   * Observes a lookup of this process. Without the cluster's meta leader, lookups fail and other members cannot connect,
   * although a renewal may be stored: that time does not count either.
   */
  async follow<R>(lookup: () => Promise<R>): Promise<R> {
    this.#lookingSince ??= this.#deps.clock.monotonic();
    let isAnswered = false;
    try {
      const answer = await lookup();
      isAnswered = true;
      return answer;
    } finally {
      if (!isAnswered || this.#isLookupLate()) this.restart();
      this.#lookingSince = undefined;
    }
  }

  armIfIdle(): void {
    if (this.#timer === undefined) this.arm();
  }

  arm(): void {
    this.cancel();
    const { clock, isActive } = this.#deps;
    const deadline = this.#liveness.nextDeadline();
    // The next connection, or the next renewal that the store confirms, arms it again.
    if (!isActive() || deadline === undefined || !this.isConfirmed) return;
    this.#timer = clock.after(Math.max(MIN_PAUSE_MS, this.#pauseMs, deadline - clock.monotonic()), () => {
      this.#timer = undefined;
      void this.#check().finally(() => this.arm());
    });
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** The store has confirmed a write of this process recently. */
  get isConfirmed(): boolean {
    const { clock, leaseMs } = this.#deps;
    return !this.#isLookupLate() && clock.monotonic() - this.#confirmedAt <= leaseMs * MAX_UNCONFIRMED_SHARE;
  }

  #isLookupLate(): boolean {
    const { clock, leaseMs } = this.#deps;
    const since = this.#lookingSince;
    return since !== undefined && clock.monotonic() - since > leaseMs * MAX_LOOKUP_SHARE;
  }

  async #check(): Promise<void> {
    const { clock, isActive, renew } = this.#deps;
    if (!isActive() || this.#liveness.overdue(clock.monotonic()).length === 0) return;
    await renew();
    if (!isActive() || !this.isConfirmed) return;
    for (const { member, revision } of this.#liveness.overdue(clock.monotonic())) {
      try {
        await this.#remove(member, revision);
        this.#pauseMs = 0;
        this.#backoff.succeeded();
      } catch (error) {
        // The other removals would fail, too.
        if (isActive()) this.#pauseMs = this.#backoff.failed(error, { member });
        return;
      }
    }
  }

  /** A member that has renewed meanwhile survives: its record is no longer at this revision. */
  async #remove(member: string, revision: number): Promise<void> {
    const { bucket, leaseMs, logger, refresh } = this.#deps;
    try {
      // Short timeout: a deletion that waits for a quorum would race the member's renewal when the quorum returns.
      await bucket.remove(member, { ifRevision: revision, timeoutMs: leaseMs * REMOVAL_SHARE });
      logger.warn({ member }, "consumer process declared dead");
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      await refresh(member);
    }
  }
}

const CHECKING = { failing: "could not check member liveness, retrying", recovered: "member liveness checked" };
/** Shares of the lease. This one is longer than a heartbeat and its answer take, and shorter than a member's lease. */
const MAX_UNCONFIRMED_SHARE = 0.5;
const MAX_LOOKUP_SHARE = 0.15;
const REMOVAL_SHARE = 0.1;
const MIN_PAUSE_MS = 20;

interface Sighting {
  readonly revision: number;
  readonly at: number;
}

/** Members without a new revision for a whole lease, by the local clock. Only a compare-and-set at the server decides. */
class Liveness {
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
