import type { RequiredReader } from "../../../../contract/ports/backbone.ts";
import type { Clock } from "../../../../contract/ports/clock.ts";
import { groupName } from "../../nats-names.ts";
import type { MemberRecord } from "./member-record.ts";
import { hasPartition } from "./member-record.ts";

interface ReaderHealthDeps {
  readonly clock: Clock;
  readonly partitions: number;
  /** A partition may be unread for this long while it moves from one process to another. */
  readonly graceMs: number;
  /** The owner in the partition's record; for members of old versions, which do not report what they read. */
  ownerOf(group: string, partition: number): string | null | undefined;
}

interface Required {
  readonly label: string;
  /** Monotonic time of the last report that a process reads the partition, by partition. */
  readonly readAt: number[];
}

/** Checks that each partition of the required durables has a reader, by the heartbeats of all consuming processes. */
export class ReaderHealth {
  readonly #deps: ReaderHealthDeps;
  readonly #required: ReadonlyMap<string, Required>;

  constructor(required: readonly RequiredReader[], deps: ReaderHealthDeps) {
    this.#deps = deps;
    const readAt = () => Array.from({ length: deps.partitions }, () => deps.clock.monotonic());
    this.#required = new Map(
      required.map(({ subject, durable, label }) => [groupName(durable, subject), { label, readAt: readAt() }]),
    );
  }

  /** Reports could not arrive without a connection, so each partition gets the whole grace time again. */
  restart(): void {
    for (const { readAt } of this.#required.values()) readAt.fill(this.#deps.clock.monotonic());
  }

  /** A member's record was written. */
  reported(member: string, { groups, reading }: MemberRecord): void {
    const now = this.#deps.clock.monotonic();
    for (const [group, { readAt }] of this.#required) {
      const index = groups.indexOf(group);
      if (index < 0) continue;
      for (const partition of readAt.keys()) {
        const isRead = reading
          ? hasPartition(reading[index] ?? "", partition)
          : this.#deps.ownerOf(group, partition) === member;
        if (isRead) readAt[partition] = now;
      }
    }
  }

  get problem(): string | undefined {
    const oldest = this.#deps.clock.monotonic() - this.#deps.graceMs;
    for (const { label, readAt } of this.#required.values()) {
      const unread = readAt.filter((at) => at < oldest).length;
      if (unread === 0) continue;
      return `no process reads ${label} (${unread} of ${readAt.length} partitions); check that a core process runs`;
    }
    return undefined;
  }
}
