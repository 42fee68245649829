import type { Store } from "../../../contract/ports/store.ts";
import type { NatsConnector } from "../connection/nats-connector.ts";
import type { NatsOptions } from "../connection/nats-options.ts";
import type { NatsSession } from "../connection/nats-session.ts";
import type { Membership } from "./members/membership.ts";
import type { PartitionTable } from "./partition-table.ts";
import type { ReconcileSchedule } from "./reconcile-schedule.ts";

/** The dependencies of one consumer group. */
export interface GroupDeps {
  readonly options: NatsOptions;
  readonly connector: NatsConnector;
  readonly membership: Membership;
  readonly table: PartitionTable;
  readonly schedule: ReconcileSchedule;
  readonly store: Store;
  readonly stream: string;
  ensureStream(session: NatsSession): Promise<unknown>;
  messageSubject(partition: number): string;
}
