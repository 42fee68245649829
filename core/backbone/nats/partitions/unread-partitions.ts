import type { GroupDeps } from "./partition-ownership.ts";
import type { FoundPartition } from "./partition-table.ts";

/** Partitions assigned to this process whose recorded owner is alive and does not report that it reads them. */
export class UnreadPartitions {
  readonly #group: string;
  readonly #deps: Pick<GroupDeps, "membership" | "options">;
  readonly #since = new Map<number, { readonly revision: number; readonly since: number }>();

  constructor(group: string, deps: Pick<GroupDeps, "membership" | "options">) {
    this.#group = group;
    this.#deps = deps;
  }

  forget(partition: number): void {
    this.#since.delete(partition);
  }

  /** The recorded owner is alive, but has not reported for a whole lease that it reads the partition. */
  isAbandoned(partition: number, { record, revision }: FoundPartition): boolean {
    const { membership, options } = this.#deps;
    const now = options.clock.monotonic();
    if (membership.reportsReading(record.owner ?? "", this.#group, partition)) this.forget(partition);
    else if (this.#since.get(partition)?.revision !== revision) this.#since.set(partition, { revision, since: now });
    return now - (this.#since.get(partition)?.since ?? now) >= options.leaseMs;
  }
}
