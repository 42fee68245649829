import { RevisionConflict } from "../../../../contract/app-error.ts";
import type { Clock, Timer } from "../../../../contract/ports/clock.ts";
import type { Logger } from "../../../../contract/ports/logger.ts";
import { Backoff } from "../../connection/backoff.ts";
import type { KvBucket } from "../../kv/kv-bucket.ts";
import { OwnBeats } from "./own-beats.ts";
import { RecordLiveness } from "./record-liveness.ts";
import { Ring } from "./ring.ts";

interface DeadMemberCheckDeps {
  readonly bucket: KvBucket;
  readonly beats: KvBucket;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  readonly random: () => number;
  ownId(): string;
  /** False without a connection, and while this process stops. */
  isActive(): boolean;
  /** Renews the lease of this process; it calls confirmed() if the store confirms the write. */
  renew(): Promise<void>;
  /** Reads the record of a member from the server. */
  refresh(member: string): Promise<{ readonly revision: number } | undefined>;
}

/** A member to declare dead, and the revision of its last sign of life. */
interface Suspect {
  readonly member: string;
  /** Of the beat, 0 if there is none, undefined if it was deleted; for a member of an old version, of the record. */
  readonly revision: number | undefined;
  readonly hasBeat: boolean;
}

/**
 * Declares members dead that have not renewed for a lease. Only time in which the store confirms the writes of this
 * process counts: while a cluster has no quorum, no member can renew, so none counts as dead.
 */
export class DeadMemberCheck {
  readonly #deps: DeadMemberCheckDeps;
  readonly #ring: Ring;
  readonly #ownBeats: OwnBeats;
  /** The revision of the last beat that was read, by member. */
  readonly #beatsRead = new Map<string, number>();
  readonly #oldVersions: RecordLiveness;
  readonly #backoff: Backoff;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** Monotonic start time of a lookup without an answer yet. */
  #lookingSince: number | undefined;
  #timer: Timer | undefined;
  #isChecking = false;
  /** Before the next check, after one that failed. */
  #pauseMs = 0;

  constructor(deps: DeadMemberCheckDeps) {
    this.#deps = deps;
    this.#ring = new Ring(deps.ownId);
    this.#ownBeats = new OwnBeats(deps.leaseMs);
    this.#oldVersions = new RecordLiveness(deps.leaseMs);
    this.#backoff = new Backoff({ ...deps, ...CHECKING });
  }

  /** Another member's record is at this revision. */
  observe(member: string, revision: number, hasBeat: boolean): void {
    if (!hasBeat) this.#oldVersions.observe(member, revision, this.#deps.clock.monotonic());
    else if (this.#ring.add(member)) this.arm();
    this.#armIfIdle();
  }

  forget(member: string): void {
    this.#oldVersions.forget(member);
    this.#beatsRead.delete(member);
    if (this.#ring.delete(member)) this.arm();
  }

  /** Call after a time in which others could not renew, or without updates: each member gets a whole lease again. */
  restart(): void {
    this.#oldVersions.restart(this.#deps.clock.monotonic());
    this.#ownBeats.restart();
  }

  /** The store confirmed a renewal of this process: its beat is at this revision. */
  confirmed(beatRevision: number): void {
    if (!this.isConfirmed) this.restart();
    this.#confirmedAt = this.#deps.clock.monotonic();
    this.#ownBeats.confirm(beatRevision, this.#confirmedAt);
    this.#armIfIdle();
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

  arm(): void {
    this.cancel();
    const { clock, isActive } = this.#deps;
    const deadline = this.#nextDeadline();
    // The next connection, or the next renewal that the store confirms, arms it again.
    if (this.#isChecking || !isActive() || deadline === undefined || !this.isConfirmed) return;
    this.#timer = clock.after(Math.max(MIN_PAUSE_MS, this.#pauseMs, deadline - clock.monotonic()), () => {
      this.#timer = undefined;
      this.#isChecking = true;
      void this.#check().finally(() => {
        this.#isChecking = false;
        this.arm();
      });
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

  #armIfIdle(): void {
    if (this.#timer === undefined) this.arm();
  }

  #isLookupLate(): boolean {
    const { clock, leaseMs } = this.#deps;
    const since = this.#lookingSince;
    return since !== undefined && clock.monotonic() - since > leaseMs * MAX_LOOKUP_SHARE;
  }

  #nextDeadline(): number | undefined {
    const { next } = this.#ring;
    // After a restart, the lease that each member gets begins with the next own beat.
    if (this.#ownBeats.isEmpty && next.length > 0) return this.#deps.clock.monotonic();
    const times = [this.#oldVersions.nextDeadline(), ...next.map((member) => this.#expiryOf(member))];
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  #expiryOf(member: string): number | undefined {
    return this.#ownBeats.expiryOf(this.#beatsRead.get(member) ?? 0);
  }

  #hasExpired(member: string): boolean {
    const expiry = this.#expiryOf(member);
    return expiry !== undefined && expiry <= this.#deps.clock.monotonic();
  }

  async #check(): Promise<void> {
    const { clock, isActive, renew } = this.#deps;
    if (!isActive()) return;
    try {
      const suspects = await this.#suspects();
      if (suspects.length === 0 && !this.#ownBeats.isEmpty) return;
      const confirmedAt = this.#confirmedAt;
      await renew();
      this.#pauseMs = this.#confirmedAt === confirmedAt ? this.#deps.leaseMs * UNCONFIRMED_PAUSE_SHARE : 0;
      for (const suspect of suspects) {
        if (!isActive() || !this.isConfirmed || this.#pauseMs > 0) return;
        const isDead = suspect.hasBeat
          ? !suspect.revision || this.#hasExpired(suspect.member)
          : this.#oldVersions.overdue(clock.monotonic()).some(({ member }) => member === suspect.member);
        if (isDead) await this.#remove(suspect);
      }
      this.#backoff.succeeded();
    } catch (error) {
      // The other checks would fail, too.
      if (isActive()) this.#pauseMs = this.#backoff.failed(error);
    }
  }

  /** Members that seem to be dead: by the beats that the server has now, and by the watched records of old versions. */
  async #suspects(): Promise<Suspect[]> {
    const { beats, clock, leaseMs } = this.#deps;
    const due = this.#ring.next.filter((member) => this.#hasExpired(member));
    const found = await Promise.all(
      due.map(async (member): Promise<Suspect[]> => {
        const beat = await beats.read(member, leaseMs * READ_SHARE);
        if (beat === undefined) return [{ member, revision: 0, hasBeat: true }];
        if (beat.deleted) return [{ member, revision: undefined, hasBeat: true }];
        this.#beatsRead.set(member, beat.revision);
        return this.#hasExpired(member) ? [{ member, revision: beat.revision, hasBeat: true }] : [];
      }),
    );
    const old = this.#oldVersions.overdue(clock.monotonic());
    return [...found.flat(), ...old.map((overdue) => ({ ...overdue, hasBeat: false }))];
  }

  /** A member that has renewed meanwhile survives: its beat, or its record, is no longer at this revision. */
  async #remove({ member, revision, hasBeat }: Suspect): Promise<void> {
    const { bucket, beats, leaseMs, logger, refresh } = this.#deps;
    // Short timeout: a deletion that waits for a quorum would race the member's renewal when the quorum returns.
    const timeoutMs = leaseMs * REMOVAL_SHARE;
    try {
      // Without a beat, the deletion marker fences the member all the same: a read can miss a beat that exists.
      if (hasBeat && revision !== undefined) await beats.remove(member, { ifRevision: revision, timeoutMs });
      const record = hasBeat ? (await refresh(member))?.revision : revision;
      if (record === undefined) return;
      await bucket.remove(member, { ifRevision: record, timeoutMs });
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
const READ_SHARE = 0.1;
const REMOVAL_SHARE = 0.1;
const UNCONFIRMED_PAUSE_SHARE = 0.1;
const MIN_PAUSE_MS = 20;
