import type { RequiredReader } from "../../../../contract/backbone.ts";
import type { Clock } from "../../../../contract/clock.ts";
import { groupName } from "../../nats-names.ts";
import type { MemberRecord } from "./member-record.ts";
import { hasPartition } from "./member-record.ts";

export interface ReaderHealthDeps {
  readonly clock: Clock;
  readonly partitions: number;
  /** A partition may be unread for this long while it moves from one process to another. */
  readonly graceMs: number;
  /** Whom the partition's record names; for members of a version that does not report what it reads. */
  ownerOf(group: string, partition: number): string | null | undefined;
}

interface Required {
  readonly label: string;
  /** By partition, monotonic: when a living process last reported that it reads it. */
  readonly readAt: number[];
}

/** Whether each partition of the required durables is being read, by what all consuming processes report of themselves. */
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

  /** Reports could not arrive while this process had no connection, so every partition gets the whole grace again. */
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
