import { messageOf } from "../../../../contract/app-error.ts";
import type { Clock, Timer } from "../../../../contract/ports/clock.ts";
import type { Logger } from "../../../../contract/ports/logger.ts";
import { Backoff } from "../../connection/backoff.ts";
import type { NatsSession } from "../../connection/nats-session.ts";
import type { KvBucket } from "../../kv/kv-bucket.ts";
import { WatchedBucket } from "../../kv/watched-bucket.ts";
import { DeadMemberCheck } from "./dead-member-check.ts";
import { DeclaredDead, MemberKeys } from "./member-keys.ts";
import type { MemberRecord } from "./member-record.ts";
import { consumes, encodeMember, parseMember, reportsReading } from "./member-record.ts";
import { OldVersions } from "./old-versions.ts";

interface MembershipDeps {
  /** The records of the members. */
  readonly bucket: KvBucket;
  /** The beats of the members. */
  readonly beats: KvBucket;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  readonly newId: () => string;
  /** From 0 up to 1, for jitter. */
  readonly random: () => number;
  /** False for a member that cannot own a partition as it is now. */
  canShare(isOldVersion: boolean): boolean;
  /** The partitions of a group that this process currently reads (encodePartitions). */
  reading(group: string): string;
  /** A member, possibly this process, wrote its record; undefined if the record was deleted. */
  reported(member: string, record: MemberRecord | undefined): void;
  /** Members joined, left, or changed their groups. */
  changed(): void;
  /** This process was declared dead: others may own its partitions. */
  fenced(): void;
  /** Handlers may start again. */
  leaseRegained(): void;
}

/** The membership of this process among the consuming processes, and which of them are alive. */
export class Membership {
  readonly #deps: MembershipDeps;
  readonly #keys: MemberKeys;
  readonly #watched: WatchedBucket;
  readonly #oldVersions: OldVersions;
  readonly #deadMembers: DeadMemberCheck;
  readonly #backoff: Backoff;
  /** The groups of each member, because most updates change only what it reads. */
  readonly #known = new Map<string, readonly string[]>();
  /** Members by group; cleared when a member joins, leaves, or changes its groups. */
  readonly #consuming = new Map<string, readonly string[]>();
  #count = 0;
  #groups: readonly string[] = [];
  /** The stored groups, and what this process reads of them. */
  #reported = "";
  /** Deletions of the own record that the watch has reported, and those answered by a later write. */
  #losses = 0;
  #repairedLosses = 0;
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
    this.#keys = new MemberKeys(deps);
    this.#watched = new WatchedBucket({ ...deps, changed: (id) => this.#entryChanged(id) });
    this.#backoff = new Backoff({ ...deps, ...RENEWING });
    this.#oldVersions = new OldVersions({ ...deps, completeAt: () => this.#watched.completeAt });
    this.#deadMembers = new DeadMemberCheck({
      ...deps,
      ownId: () => this.id,
      isActive: () => !this.#closed && this.#session?.isOpen === true,
      renew: () => this.renew(),
      refresh: (member) => this.#watched.refresh(member),
    });
  }

  get id(): string {
    return this.#keys.id;
  }

  get isMember(): boolean {
    return this.#keys.isMember;
  }

  /** Others wait a whole lease before they take partitions; this process stops a little earlier. */
  holdsLease(): boolean {
    const age = this.#deps.clock.monotonic() - this.#renewedAt;
    const isRenewed = this.isMember && this.#losses === this.#repairedLosses && age < this.#deps.leaseMs * OWN_SHARE;
    const holds = isRenewed && this.#oldVersions.seeAlive(OWN_SHARE);
    if (!holds) this.#refused = true;
    return holds;
  }

  /** The store has confirmed a write of this process within the last half lease. */
  get isConfirmed(): boolean {
    return this.#deadMembers.isConfirmed;
  }

  /** Number of members, this process included. */
  get size(): number {
    return this.#known.size;
  }

  /** Returns the same array until the members of the group change. */
  consuming(group: string): readonly string[] {
    const known = this.#consuming.get(group);
    if (known) return known;
    const members = [...this.#known]
      .filter(([id, groups]) => groups.includes(group) && this.#deps.canShare(this.#oldVersions.has(id)))
      .map(([id]) => id);
    this.#consuming.set(group, members);
    return members;
  }

  /** Call after the result of canShare() may have changed. */
  readonly layoutChanged = () => this.#consuming.clear();

  /** Reads the watched copy, which is slightly stale. */
  seesOther(member: string | null | undefined, group: string): boolean {
    return member != null && member !== this.id && this.#known.get(member)?.includes(group) === true;
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
    if (member === this.id) return false;
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
    if (this.isMember && this.#report(this.#reading()) !== this.#reported) await this.renew();
  }

  /** Deletes record and beat, so that other processes do not wait for the lease to expire. */
  async close(timeoutMs: number): Promise<void> {
    this.#closed = true;
    this.#renewTimer?.cancel();
    this.#deadMembers.cancel();
    await this.#renewal;
    this.#renewTimer?.cancel();
    if (!this.isMember) return;
    await this.#keys
      .remove(timeoutMs)
      .catch((error) =>
        this.#deps.logger.warn({ error: messageOf(error) }, "could not delete heartbeat, it expires after the lease"),
      );
  }

  async #renewOnce(): Promise<void> {
    const startedAt = this.#deps.clock.monotonic();
    const reading = this.#reading();
    const report = this.#report(reading);
    const record = this.#needsRecord(report) ? encodeMember(this.#groups, reading, ++this.#count) : undefined;
    const losses = this.#losses;
    try {
      const beatRevision = await this.#keys.renew(record);
      this.#renewedAt = startedAt;
      this.#retryPauseMs = 0;
      this.#backoff.succeeded();
      this.#deadMembers.confirmed(beatRevision);
      if (record) {
        this.#oldVersions.recordStored(startedAt);
        this.#repairedLosses = losses;
        this.#reported = report;
        this.#watched.set(this.id, this.#keys.recordRevision, record);
      }
      if (this.#refused) this.#regain();
    } catch (error) {
      if (error instanceof DeclaredDead) this.#rejoin();
      else if (!this.#closed) this.#retryPauseMs = this.#backoff.failed(error, { member: this.id });
    }
  }

  /** A record that has not changed is rewritten for old versions, and after the lease: a late deletion then fails. */
  #needsRecord(report: string): boolean {
    return !this.holdsLease() || report !== this.#reported || !this.#oldVersions.seeAlive(REWRITE_SHARE);
  }

  #rejoin(): void {
    const before = this.id;
    this.#deps.logger.warn({ member: before }, "member declared dead by another process, rejoining under a new id");
    this.#keys.rejoin();
    this.#repairedLosses = this.#losses;
    // The answer to the last renewal may have arrived after the watch reported the deletion.
    this.#watched.forget(before);
    // The watch may report the new record before the write is answered; groups that checked earlier check again.
    this.#refused = true;
    this.#deps.fenced();
  }

  #report(reading: readonly string[]): string {
    return JSON.stringify([this.#groups, reading]);
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
    const isRenewed = this.holdsLease() && this.#retryPauseMs === 0;
    const afterMs = isRenewed ? beatMs : Math.min(Math.max(JOIN_AGAIN_MS, this.#retryPauseMs), beatMs);
    this.#renewTimer = this.#deps.clock.after(afterMs, () => {
      if (this.#session?.isOpen) void this.renew();
    });
  }

  #entryChanged(id: string): void {
    const entry = this.#watched.entries.get(id);
    const before = this.#known.get(id);
    const record = entry && parseMember(entry.data);
    const now = entry && (record?.groups ?? []);
    this.#deps.reported(id, record);
    if (id === this.id) this.#ownEntryChanged(entry !== undefined);
    else if (entry) {
      const hasBeat = record?.separateBeat === true;
      this.#oldVersions.seen(id, !hasBeat);
      this.#deadMembers.observe(id, entry.revision, hasBeat);
    } else {
      this.#oldVersions.seen(id, false);
      this.#deadMembers.forget(id);
    }
    if (before?.join() === now?.join()) return;
    if (now === undefined) this.#known.delete(id);
    else this.#known.set(id, now);
    this.#consuming.clear();
    this.#deps.changed();
  }

  /** The renewal that finds the record deleted rejoins under a new id. */
  #ownEntryChanged(exists: boolean): void {
    if (exists || !this.isMember || this.#closed) return;
    this.#losses++;
    void this.renew();
  }
}

const RENEWING = { failing: "could not renew lease, retrying", recovered: "lease renewed" };
/** Share of the lease; the margin covers clocks that run at slightly different speeds. */
const OWN_SHARE = 0.9;
/** Share of the lease; the next renewal comes a third of a lease later, and must not be too late for OWN_SHARE. */
const REWRITE_SHARE = 0.5;
const JOIN_AGAIN_MS = 200;
