import type { RequiredReader } from "../../../../contract/ports/backbone.ts";
import type { Clock } from "../../../../contract/ports/clock.ts";
import { groupName } from "../../nats-names.ts";
import type { MemberRecord } from "./member-record.ts";
import { hasPartition } from "./member-record.ts";

interface ReaderHealthDeps {
  readonly clock: Clock;
  /** The current number of partitions; it only grows. */
  partitions(): number;
  /** A partition may be unread for this long while it moves from one process to another. */
  readonly graceMs: number;
  /** The owner in the partition's record; for members of old versions, which do not report what they read. */
  ownerOf(group: string, partition: number): string | null | undefined;
}

interface Required {
  readonly label: string;
  /** Number of members whose records report that they read the partition, by partition. */
  readonly readers: number[];
  /** Monotonic time until which the partition was read, while it has no reader, by partition. */
  readonly readUntil: number[];
}

/** Checks that each partition of the required durables has a reader, by the records of all consuming processes. */
export class ReaderHealth {
  readonly #deps: ReaderHealthDeps;
  readonly #required: ReadonlyMap<string, Required>;
  /** The last record of each member. */
  readonly #records = new Map<string, MemberRecord>();

  constructor(required: readonly RequiredReader[], deps: ReaderHealthDeps) {
    this.#deps = deps;
    this.#required = new Map(
      required.map(({ subject, durable, label }) => [
        groupName(durable, subject),
        { label, readers: [], readUntil: [] },
      ]),
    );
    this.#fit();
  }

  /** After a raise, the records of the new partitions may have been seen before: all of them are counted again. */
  #fit(): void {
    const count = this.#deps.partitions();
    for (const [group, { readers, readUntil }] of this.#required) {
      if (readers.length === count) continue;
      while (readUntil.length < count) readUntil.push(this.#deps.clock.monotonic());
      readers.length = count;
      readers.fill(0);
      for (const record of this.#records.values()) this.#count(group, record, 1);
    }
  }

  /** Records could not arrive without a connection, so each partition gets the whole grace time again. */
  restart(): void {
    for (const { readUntil } of this.#required.values()) readUntil.fill(this.#deps.clock.monotonic());
  }

  /** A member's record was written; undefined if it was deleted. */
  reported(member: string, record: MemberRecord | undefined): void {
    this.#fit();
    const before = this.#records.get(member);
    if (record) this.#records.set(member, record);
    else this.#records.delete(member);
    for (const group of this.#required.keys()) {
      this.#count(group, before, -1);
      this.#count(group, record, 1);
      if (record && !record.reading) this.#countOwned(group, member, record);
    }
  }

  #count(group: string, record: MemberRecord | undefined, by: number): void {
    const required = this.#required.get(group);
    const reading = record?.reading?.[record.groups.indexOf(group)];
    if (required === undefined || reading === undefined) return;
    const { readers, readUntil } = required;
    for (const [partition, count] of readers.entries()) {
      if (!hasPartition(reading, partition)) continue;
      readers[partition] = count + by;
      readUntil[partition] = this.#deps.clock.monotonic();
    }
  }

  /** A member of version 0.1 rewrites its record as a heartbeat, without what it reads. */
  #countOwned(group: string, member: string, { groups }: MemberRecord): void {
    const { clock, ownerOf } = this.#deps;
    const readUntil = groups.includes(group) ? this.#required.get(group)?.readUntil : undefined;
    for (const partition of readUntil?.keys() ?? []) {
      if (readUntil && ownerOf(group, partition) === member) readUntil[partition] = clock.monotonic();
    }
  }

  get problem(): string | undefined {
    this.#fit();
    const oldest = this.#deps.clock.monotonic() - this.#deps.graceMs;
    for (const { label, readers, readUntil } of this.#required.values()) {
      const unread = readUntil.filter((at, partition) => readers[partition] === 0 && at < oldest).length;
      if (unread === 0) continue;
      return `no process reads ${label} (${unread} of ${readers.length} partitions); check that a core process runs`;
    }
    return undefined;
  }
}
