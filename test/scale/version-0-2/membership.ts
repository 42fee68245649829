import { DATA_FORMAT } from "../../../core/backbone/data-format.ts";
import { Backoff } from "../../../core/backbone/nats/connection/backoff.ts";
import type { NatsSession } from "../../../core/backbone/nats/connection/nats-session.ts";
import type { KvBucket } from "../../../core/backbone/nats/kv/kv-bucket.ts";
import { WatchedBucket } from "../../../core/backbone/nats/kv/watched-bucket.ts";
import type { MemberRecord } from "../../../core/backbone/nats/partitions/members/member-record.ts";
import { consumes, parseMember, reportsReading } from "../../../core/backbone/nats/partitions/members/member-record.ts";
import { messageOf, RevisionConflict } from "../../../core/contract/app-error.ts";
import type { Clock, Timer } from "../../../core/contract/ports/clock.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import { DeadMemberCheck } from "./dead-member-check.ts";

interface MembershipDeps {
  readonly bucket: KvBucket;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  readonly newId: () => string;
  /** From 0 up to 1, for jitter. */
  readonly random: () => number;
  /** The partitions of a group that this process currently reads (encodePartitions). */
  reading(group: string): string;
  /** A member, possibly this process, wrote its record. */
  reported(member: string, record: MemberRecord): void;
  /** Members joined, left, or changed their groups. */
  changed(): void;
  /** This process was declared dead: others may own its partitions. */
  fenced(): void;
  /** Handlers may start again. */
  leaseRegained(): void;
}

/** Version 0.2.0, frozen. The membership of this process among the consuming processes, and which of them are alive. */
export class Membership {
  readonly #deps: MembershipDeps;
  readonly #watched: WatchedBucket;
  readonly #deadMembers: DeadMemberCheck;
  readonly #backoff: Backoff;
  /** The groups of each member, as JSON, because most updates change only the beat. */
  readonly #known = new Map<string, string>();
  /** Members by group; cleared when a member joins, leaves, or changes its groups. */
  readonly #consuming = new Map<string, readonly string[]>();
  #id: string;
  #revision = 0;
  #beat = 0;
  #groups: readonly string[] = [];
  /** The stored report of what this process reads. */
  #reported = "";
  #renewedAt = Number.NEGATIVE_INFINITY;
  #renewal: Promise<void> | undefined;
  /** holdsLease() has returned false since the last renewal. */
  #refused = true;
  #renewTimer: Timer | undefined;
  /** Pause before the next renewal after a failed one. */
  #retryPauseMs = 0;
  #session: NatsSession | undefined;
  #closed = false;

  constructor(deps: MembershipDeps) {
    this.#deps = deps;
    this.#id = deps.newId();
    this.#watched = new WatchedBucket({ ...deps, changed: (id) => this.#entryChanged(id) });
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

  /** Others wait a whole lease before they take partitions; this process stops a little earlier. */
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

  /** Returns the same array until the members of the group change. */
  consuming(group: string): readonly string[] {
    const known = this.#consuming.get(group);
    if (known) return known;
    const members = [...this.#watched.entries].filter(([, { data }]) => consumes(data, group)).map(([id]) => id);
    this.#consuming.set(group, members);
    return members;
  }

  /** Reads the watched copy, which is slightly stale. */
  seesOther(member: string | null | undefined, group: string): boolean {
    return member != null && member !== this.#id && this.consuming(group).includes(member);
  }

  /** By the watched copy of its last heartbeat. A member of an old version, which does not report, counts as reading. */
  reportsReading(member: string, group: string, partition: number): boolean {
    const entry = this.#watched.entries.get(member);
    return entry !== undefined && reportsReading(entry.data, group, partition);
  }

  /** Reads all members again if the watch has missed an update. */
  checkWatch(): Promise<void> {
    return this.#deadMembers.follow(() => this.#watched.check());
  }

  /**
   * By the server's current state: the member was declared dead, or no longer consumes the group and could not release its
   * partitions. A deleted id is never used again.
   */
  async hasLeft(member: string, group: string): Promise<boolean> {
    if (member === this.#id) return false;
    const entry = await this.#watched.refresh(member);
    return entry === undefined || !consumes(entry.data, group);
  }

  async begin(session: NatsSession): Promise<void> {
    // First, before a check for overdue members: no heartbeat could arrive without a connection.
    this.#deadMembers.restart();
    this.#session = session;
    await this.#watched.begin(session);
    this.#deadMembers.arm();
    if (this.#groups.length > 0) await this.renew();
  }

  /** Without a connection, the next one announces the groups. */
  async setGroups(groups: readonly string[]): Promise<void> {
    this.#groups = groups;
    await this.#renewal;
    if (this.#session?.isOpen && (groups.length > 0 || this.isMember)) await this.renew();
  }

  /** One renewal at a time; a call during a renewal joins it. */
  renew(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#renewal ??= this.#renewOnce().finally(() => {
      this.#renewal = undefined;
      this.#armRenewal();
    });
    return this.#renewal;
  }

  /** Reports what this process reads before the next heartbeat, if it has changed since the last one. */
  async announceReading(): Promise<void> {
    await this.#renewal;
    if (this.isMember && this.#reading().join() !== this.#reported) await this.renew();
  }

  /** Deletes the heartbeat, so that other processes do not wait for the lease to expire. */
  async close(timeoutMs: number): Promise<void> {
    this.#closed = true;
    this.#renewTimer?.cancel();
    this.#deadMembers.cancel();
    await this.#renewal;
    this.#renewTimer?.cancel();
    if (!this.isMember) return;
    const removal = this.#deps.bucket.remove(this.#id, { ifRevision: this.#revision, timeoutMs });
    await removal.catch((error) =>
      this.#deps.logger.warn({ error: messageOf(error) }, "could not delete heartbeat, it expires after the lease"),
    );
    this.#revision = 0;
  }

  async #renewOnce(): Promise<void> {
    const { bucket, clock, leaseMs } = this.#deps;
    const startedAt = clock.monotonic();
    const reading = this.#reading();
    const record: MemberRecord = {
      groups: [...this.#groups],
      beat: ++this.#beat,
      format: DATA_FORMAT,
      reading,
    };
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
      // Other processes only delete the record. If it exists, an earlier renewal was stored without its answer arriving.
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
    // The answer to the last renewal may have arrived after the watch reported the deletion.
    this.#watched.forget(before);
    // The watch may report the new record before the write is answered; groups that checked earlier check again.
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

  #entryChanged(id: string): void {
    const entry = this.#watched.entries.get(id);
    const before = this.#known.get(id);
    const record = entry && parseMember(entry.data);
    const now = entry ? JSON.stringify(record?.groups ?? []) : undefined;
    if (record) this.#deps.reported(id, record);
    if (entry && id !== this.#id) this.#deadMembers.observe(id, entry.revision);
    else this.#deadMembers.forget(id);
    this.#deadMembers.armIfIdle();
    if (before === now) return;
    if (now === undefined) this.#known.delete(id);
    else this.#known.set(id, now);
    this.#consuming.clear();
    this.#deps.changed();
  }
}

const RENEWING = { failing: "could not renew lease, retrying", recovered: "lease renewed" };
/** Share of the lease; the margin covers clocks that run at slightly different speeds. */
const OWN_SHARE = 0.9;
/** Share of the lease: a renewal without an answer is retried soon, so that work resumes soon after a quorum returns. */
const ATTEMPT_SHARE = 0.1;
const JOIN_AGAIN_MS = 200;
