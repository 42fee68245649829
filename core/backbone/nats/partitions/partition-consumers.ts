import { AckPolicy, DeliverPolicy, nanos, ReplayPolicy } from "nats";
import { isNotFound } from "../connection/nats-fault.ts";
import type { NatsSession } from "../connection/nats-session.ts";
import { consumerName } from "../nats-names.ts";
import type { ConsumerProgress, PartitionRecord } from "./partition-record.ts";

/** The consumers on the server, one per generation of a partition. */
export class PartitionConsumers {
  readonly #stream: string;
  readonly #group: string;

  constructor(stream: string, group: string) {
    this.#stream = stream;
    this.#group = group;
  }

  name(partition: number, generation: number): string {
    return consumerName(this.#group, partition, generation);
  }

  async progress(session: NatsSession, partition: number, generation: number): Promise<ConsumerProgress | undefined> {
    try {
      const info = await session.lookups.consumers.info(this.#stream, this.name(partition, generation));
      return { floor: info.ack_floor.stream_seq, delivered: info.delivered.stream_seq };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** True while a pull request waits at the consumer of this generation. */
  async isRead(session: NatsSession, partition: number, generation: number): Promise<boolean> {
    try {
      const info = await session.lookups.consumers.info(this.#stream, this.name(partition, generation));
      return info.num_waiting > 0;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async create(session: NatsSession, partition: number, filter: string, record: PartitionRecord): Promise<void> {
    const name = this.name(partition, record.generation);
    await session.jsm.consumers.add(this.#stream, {
      name,
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ACK_WAIT_MS),
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: Math.max(1, record.from),
      filter_subject: filter,
      replay_policy: ReplayPolicy.Instant,
      max_ack_pending: MAX_UNACKNOWLEDGED,
      max_deliver: -1,
    });
  }

  /** Deletes the consumers of older generations. Idempotent. */
  async sweep(session: NatsSession, partition: number, { oldest, generation }: PartitionRecord): Promise<void> {
    for (let old = oldest; old < generation; old++) {
      try {
        await session.jsm.consumers.delete(this.#stream, this.name(partition, old));
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }
}

/** Longer than any handler: a redelivery by timeout would break the order; a new generation redelivers in order. */
const ACK_WAIT_MS = 3_600_000;
const MAX_UNACKNOWLEDGED = 20_000;
