import type { QueuedMessage } from "../../../core/backbone/key-lanes.ts";
import type { NatsConnector } from "../../../core/backbone/nats/connection/nats-connector.ts";
import { isNotFound } from "../../../core/backbone/nats/connection/nats-fault.ts";
import type { NatsOptions } from "../../../core/backbone/nats/connection/nats-options.ts";
import type { NatsSession } from "../../../core/backbone/nats/connection/nats-session.ts";
import type { Membership } from "../../../core/backbone/nats/partitions/members/membership.ts";
import { PartitionConsumers } from "../../../core/backbone/nats/partitions/partition-consumers.ts";
import { PullReader } from "../../../core/backbone/nats/partitions/pull-reader.ts";
import type { ReconcileSchedule } from "../../../core/backbone/nats/partitions/reconcile-schedule.ts";
import { messageOf } from "../../../core/contract/app-error.ts";
import type { ConsumeOptions } from "../../../core/contract/ports/bus.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { HeldPartition } from "./held-partition.ts";
import { disowned, fittedTo, type PartitionRecord, released, reopened, takenOver } from "./partition-record.ts";
import type { PartitionTable } from "./partition-table.ts";

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

interface OwnershipDeps extends GroupDeps {
  readonly durable: string;
  /** The subject's name. */
  readonly subject: string;
  push(message: QueuedMessage): void;
  readingEnded(): void;
}

/**
 * Changes the owner of a partition. It writes the record first, by compare-and-set, then creates the consumer of the new
 * generation, and deletes the old one last. After a crash at any step the next owner can continue.
 */
export class PartitionOwnership {
  readonly #group: string;
  readonly #from: NonNullable<ConsumeOptions["from"]>;
  readonly #deps: OwnershipDeps;
  readonly #consumers: PartitionConsumers;
  #origin: number | undefined;

  constructor(group: string, from: NonNullable<ConsumeOptions["from"]>, deps: OwnershipDeps) {
    this.#group = group;
    this.#from = from;
    this.#deps = deps;
    this.#consumers = new PartitionConsumers(deps.stream, group);
  }

  async origin(): Promise<number> {
    const first = async () => (this.#from === "now" ? (await this.lastSeq()) + 1 : 1);
    const { durable, subject } = this.#deps;
    this.#origin ??= await this.#deps.table.origin(this.#group, first, { durable, subject });
    return this.#origin;
  }

  lastSeq(): Promise<number> {
    const { connector, ensureStream, stream } = this.#deps;
    return connector.run(`looking at ${stream}`, async (session) => {
      await ensureStream(session);
      const { state } = await session.lookups.streams.info(stream);
      return state.last_seq;
    });
  }

  /**
   * Undefined if another process was first, or if the owner is alive. From a living owner it takes only a partition that
   * the owner has not reported as read for a lease (`abandonedBy`), and that is still unread by its report and the server.
   */
  async take(
    session: NatsSession,
    partition: number,
    lastSeq: number,
    abandonedBy?: string,
  ): Promise<HeldPartition | undefined> {
    const { membership, table } = this.#deps;
    const found = await table.read(this.#group, partition);
    const before = found?.record;
    const owner = before?.owner;
    if (owner && owner !== membership.id && !(await membership.hasLeft(owner, this.#group))) {
      if (owner !== abandonedBy || membership.reportsReading(owner, this.#group, partition)) return undefined;
      if (await this.#consumers.isRead(session, partition, before.generation)) return undefined;
      this.#deps.options.logger.warn({ group: this.#group, partition, owner }, "unread partition taken over");
    }
    const progress = owner ? await this.#consumers.progress(session, partition, before.generation) : undefined;
    const record = fittedTo(takenOver(before, progress, membership.id, await this.origin()), lastSeq);
    const revision = await table.write(this.#group, partition, record, found?.revision ?? 0);
    if (revision === undefined) return undefined;
    await this.#createConsumer(partition, record);
    return new HeldPartition(partition, record, revision, (seq) => this.#readStored(seq));
  }

  /** Reads the partition on a new connection. False if this process no longer owns it. */
  async reopen(held: HeldPartition, lastSeq: number): Promise<boolean> {
    const { membership, table } = this.#deps;
    const { partition } = held;
    const found = await table.read(this.#group, partition);
    if (found?.record.owner !== membership.id || found.revision !== held.revision) return false;
    const record = reopened(held.record, held.log.progress());
    // The stream was replaced, so the local progress is void: the partition is taken as after a crash.
    if (fittedTo(record, lastSeq) !== record) return false;
    const revision = await table.write(this.#group, partition, record, held.revision);
    if (revision === undefined) return false;
    held.record = record;
    held.revision = revision;
    await this.#createConsumer(partition, record);
    return true;
  }

  read(session: NatsSession, held: HeldPartition): void {
    const { membership, options, stream, push, readingEnded } = this.#deps;
    const reader = new PullReader({
      session,
      clock: options.clock,
      logger: options.logger,
      stream,
      consumer: this.#consumers.name(held.partition, held.record.generation),
      wantsMore: () => held.wantsMore,
      canReplace: () => membership.isConfirmed,
      message: (message, address, reply) => {
        const queued = held.arrived(message, address, reply);
        if (queued) push(queued);
      },
      ended: () => {
        held.stopReading();
        readingEnded();
      },
    });
    held.readBy(session, reader);
    void this.#sweep(session, held);
  }

  async release(held: HeldPartition, timeoutMs?: number): Promise<void> {
    const record = released(held.record, held.log.progress());
    await this.#deps.table.write(this.#group, held.partition, record, held.revision, timeoutMs);
  }

  /** Releases a record that names this process although it does not hold the partition: a step after the write failed. */
  async disown(session: NatsSession, partition: number): Promise<void> {
    const { membership, table } = this.#deps;
    const found = await table.read(this.#group, partition);
    if (found?.record.owner !== membership.id) return;
    const progress = await this.#consumers.progress(session, partition, found.record.generation);
    await table.write(this.#group, partition, disowned(found.record, progress), found.revision);
  }

  /** Retries a request without an answer: a new record and generation would cost more. */
  #createConsumer(partition: number, record: PartitionRecord): Promise<void> {
    const { connector, messageSubject } = this.#deps;
    return connector.run(`creating a consumer of ${this.#group}`, (session) =>
      this.#consumers.create(session, partition, messageSubject(partition), record),
    );
  }

  /** Best effort: the record has the oldest generation that may still have a consumer. */
  async #sweep(session: NatsSession, held: HeldPartition): Promise<void> {
    const { record, partition } = held;
    try {
      await this.#consumers.sweep(session, partition, record);
      if (held.record === record) held.record = { ...record, oldest: record.generation };
    } catch (error) {
      this.#deps.options.logger.debug(
        { group: this.#group, partition, error: messageOf(error) },
        "could not delete old consumer",
      );
    }
  }

  /** Empty if the message is past its retention: it becomes a dead letter. */
  #readStored(seq: number): Promise<string> {
    return this.#deps.connector.run("reading a message", async (session) => {
      try {
        return Buffer.from((await session.lookups.streams.getMessage(this.#deps.stream, { seq })).data).toString();
      } catch (error) {
        if (isNotFound(error)) return "";
        throw error;
      }
    });
  }
}
