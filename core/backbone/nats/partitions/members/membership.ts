import { messageOf, RevisionConflict } from "../../../../contract/app-error.ts";
import type { Clock, Timer } from "../../../../contract/clock.ts";
import type { Logger } from "../../../../contract/logger.ts";
import { Backoff } from "../../connection/backoff.ts";
import type { NatsSession } from "../../connection/nats-session.ts";
import type { KvBucket } from "../../kv/kv-bucket.ts";
import { WatchedBucket } from "../../kv/watched-bucket.ts";
import { DeadMemberCheck } from "./dead-member-check.ts";
import type { MemberRecord } from "./member-record.ts";
import { consumes, parseMember, reportsReading } from "./member-record.ts";

export interface MembershipDeps {
  readonly bucket: KvBucket;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  readonly newId: () => string;
  /** From 0 up to 1, for jitter. */
  readonly random: () => number;
  /** The partitions of a group that this process reads at this moment, encoded (partition-set.ts). */
  reading(group: string): string;
  /** A member, possibly this process, wrote its record. */
  reported(member: string, record: MemberRecord): void;
  /** Members came, went, or changed what they consume. */
  changed(): void;
  /** Others were told that we are dead: whatever we owned is theirs. */
  fenced(): void;
  /** We may start handlers again. */
  leaseRegained(): void;
}

/** This process among those that consume, and which of the others live. */
export class Membership {
  readonly #deps: MembershipDeps;
  readonly #watched: WatchedBucket;
  readonly #deadMembers: DeadMemberCheck;
  readonly #backoff: Backoff;
  /** What each member consumes: most changes are only beats. */
  readonly #known = new Map<string, string>();
  /** By group; made anew when somebody came, went, or changed what it consumes. */
  readonly #consuming = new Map<string, readonly string[]>();
  #id: string;
  #revision = 0;
  #beat = 0;
  #groups: readonly string[] = [];
  /** What the record says that this process reads. */
  #reported = "";
  #renewedAt = Number.NEGATIVE_INFINITY;
  #renewal: Promise<void> | undefined;
  /** Somebody asked in vain whether we hold the lease. */
  #refused = true;
  #renewTimer: Timer | undefined;
  /** Before the next renewal, after one that failed. */
  #retryPauseMs = 0;
  #session: NatsSession | undefined;
  #closed = false;

  constructor(deps: MembershipDeps) {
    this.#deps = deps;
    this.#id = deps.newId();
    this.#watched = new WatchedBucket({ ...deps, changed: (id) => this.#noticed(id) });
    this.#backoff = new Backoff({ ...deps, ...RENEWING });
    this.#deadMembers = new DeadMemberCheck({
      ...deps,
      isActive: () => !this.#closed && this.#session?.isOpen === true,
      renew: () => this.renew(),
      refresh: (member) => this.#watched.refresh(member),
    });
  }

  get id(): string {
    return this.#id;
  }

  get isMember(): boolean {
    return this.#revision > 0;
  }

  /** Others wait a whole lease before they take what is ours; we stop a little earlier. */
  holdsLease(): boolean {
    const age = this.#deps.clock.monotonic() - this.#renewedAt;
    const holds = this.isMember && age < this.#deps.leaseMs * OWN_SHARE;
    if (!holds) this.#refused = true;
    return holds;
  }

  /** The store has confirmed a write of this process within the last half lease. */
  get isConfirmed(): boolean {
    return this.#deadMembers.isConfirmed;
  }

  /** The same list as before, if nothing has changed since. */
  consuming(group: string): readonly string[] {
    const known = this.#consuming.get(group);
    if (known) return known;
    const members = [...this.#watched.entries].filter(([, { data }]) => consumes(data, group)).map(([id]) => id);
    this.#consuming.set(group, members);
    return members;
  }

  /** As it was a moment ago. */
  seesOther(member: string | null | undefined, group: string): boolean {
    return member != null && member !== this.#id && this.consuming(group).includes(member);
  }

  /** By its last heartbeat as it was a moment ago. A member of a version that does not report counts as reading. */
  reportsReading(member: string, group: string, partition: number): boolean {
    const entry = this.#watched.entries.get(member);
    return entry !== undefined && reportsReading(entry.data, group, partition);
  }

  /** Reads all members again if the watch has missed something. */
  checkWatch(): Promise<void> {
    return this.#deadMembers.follow(() => this.#watched.check());
  }

  /**
   * By what the server says now: it has died, or consumes the group no longer, and could not tell what it gave back. An
   * id that is gone never comes back.
   */
  async hasLeft(member: string, group: string): Promise<boolean> {
    if (member === this.#id) return false;
    const entry = await this.#watched.refresh(member);
    return entry === undefined || !consumes(entry.data, group);
  }

  async begin(session: NatsSession): Promise<void> {
    // Before anything can look for the overdue: nobody could show itself to us while we were away.
    this.#deadMembers.restart();
    this.#session = session;
    await this.#watched.begin(session);
    this.#deadMembers.arm();
    if (this.#groups.length > 0) await this.renew();
  }

  /** Without a connection it is said with the next one. */
  async setGroups(groups: readonly string[]): Promise<void> {
    this.#groups = groups;
    await this.#renewal;
    if (this.#session?.isOpen && (groups.length > 0 || this.isMember)) await this.renew();
  }

  /** One at a time; asking while one is under way joins it. */
  renew(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#renewal ??= this.#renewOnce().finally(() => {
      this.#renewal = undefined;
      this.#armRenewal();
    });
    return this.#renewal;
  }

  /** Reports what this process reads without waiting for the next heartbeat, if that has changed since the last. */
  async announceReading(): Promise<void> {
    await this.#renewal;
    if (this.isMember && this.#reading().join() !== this.#reported) await this.renew();
  }

  /** The process stops in good order: nobody need wait for its lease to end. */
  async close(timeoutMs: number): Promise<void> {
    this.#closed = true;
    this.#renewTimer?.cancel();
    this.#deadMembers.cancel();
    await this.#renewal;
    this.#renewTimer?.cancel();
    if (!this.isMember) return;
    const gone = this.#deps.bucket.remove(this.#id, { ifRevision: this.#revision, timeoutMs });
    await gone.catch((error) => this.#deps.logger.warn({ error: messageOf(error) }, "left without a goodbye"));
    this.#revision = 0;
  }

  async #renewOnce(): Promise<void> {
    const { bucket, clock, leaseMs } = this.#deps;
    const startedAt = clock.monotonic();
    const reading = this.#reading();
    const record: MemberRecord = { groups: [...this.#groups], beat: ++this.#beat, reading };
    const data = Buffer.from(JSON.stringify(record));
    try {
      this.#revision = await bucket.write(this.#id, data, {
        ifRevision: this.#revision,
        timeoutMs: leaseMs,
        attemptMs: leaseMs * ATTEMPT_SHARE,
      });
      this.#renewedAt = startedAt;
      this.#retryPauseMs = 0;
      this.#backoff.succeeded();
      this.#deadMembers.confirmed();
      this.#reported = reading.join();
      this.#watched.set(this.#id, this.#revision, data);
      if (this.#refused) this.#regain();
    } catch (error) {
      await this.#afterFailedRenewal(error);
    }
  }

  async #afterFailedRenewal(error: unknown): Promise<void> {
    const { bucket, leaseMs, logger } = this.#deps;
    if (!(error instanceof RevisionConflict)) {
      this.#renewalFailed(error);
      return;
    }
    try {
      // Others only delete it. If it is there, an earlier renewal was stored although its answer never arrived.
      const entry = await bucket.read(this.#id, leaseMs);
      if (entry && !entry.deleted) {
        this.#revision = entry.revision;
        await this.#renewOnce();
        return;
      }
    } catch (readError) {
      this.#renewalFailed(readError);
      return;
    }
    logger.warn({ member: this.#id }, "member declared dead by another process, rejoining under a new id");
    const before = this.#id;
    this.#id = this.#deps.newId();
    this.#revision = 0;
    // The answer to its last renewal may have come after the watch reported its deletion.
    this.#watched.forget(before);
    // The watch may report the new record before the write is answered; groups that looked before then look again.
    this.#refused = true;
    this.#deps.fenced();
  }

  #renewalFailed(error: unknown): void {
    if (!this.#closed) this.#retryPauseMs = this.#backoff.failed(error, { member: this.#id });
  }

  #reading(): string[] {
    return this.#groups.map((group) => this.#deps.reading(group));
  }

  #regain(): void {
    this.#refused = false;
    this.#deps.leaseRegained();
  }

  #armRenewal(): void {
    this.#renewTimer?.cancel();
    if (this.#closed || (this.#groups.length === 0 && !this.isMember)) return;
    const beatMs = this.#deps.leaseMs / 3;
    const isRenewed = this.isMember && this.#retryPauseMs === 0;
    const afterMs = isRenewed ? beatMs : Math.min(Math.max(JOIN_AGAIN_MS, this.#retryPauseMs), beatMs);
    this.#renewTimer = this.#deps.clock.after(afterMs, () => {
      if (this.#session?.isOpen) void this.renew();
    });
  }

  #noticed(id: string): void {
    const entry = this.#watched.entries.get(id);
    const before = this.#known.get(id);
    const record = entry && parseMember(entry.data);
    const now = entry ? JSON.stringify(record?.groups ?? []) : undefined;
    if (record) this.#deps.reported(id, record);
    if (entry && id !== this.#id) this.#deadMembers.saw(id, entry.revision);
    else this.#deadMembers.gone(id);
    this.#deadMembers.armIfIdle();
    if (before === now) return;
    if (now === undefined) this.#known.delete(id);
    else this.#known.set(id, now);
    this.#consuming.clear();
    this.#deps.changed();
  }
}

const RENEWING = { failing: "could not renew lease, retrying", recovered: "lease renewed" };
/** Of the lease, so that clocks of slightly different speed do no harm. */
const OWN_SHARE = 0.9;
/** Of the lease: a renewal without an answer is repeated soon, so that work resumes soon after a quorum returns. */
const ATTEMPT_SHARE = 0.1;
const JOIN_AGAIN_MS = 200;
