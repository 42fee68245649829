import type { Msg } from "nats";
import type { QueuedMessage } from "../../queued-message.ts";
import type { NatsSession } from "../connection/nats-session.ts";
import type { AckAddress } from "../wire/ack-address.ts";
import { queuedMessage } from "../wire/envelope.ts";
import { PartitionLog } from "./partition-log.ts";
import type { PartitionRecord } from "./partition-record.ts";
import type { PullReader } from "./pull-reader.ts";

/** A partition that is ours: its record as we wrote it, and what we were sent of it. */
export class HeldPartition {
  readonly partition: number;
  readonly #readStored: (seq: number) => Promise<string>;
  #log: PartitionLog;
  #session: NatsSession | undefined;
  #reader: PullReader | undefined;
  record: PartitionRecord;
  revision: number;
  /** It is being given back: nothing of it starts any more. */
  releasing = false;
  handingOver = false;
  /** Since when the heartbeats say that this process does not read it; others may take it after a lease. */
  unreportedSince: number | undefined;
  handOverPauseMs = FIRST_HAND_OVER_PAUSE_MS;

  constructor(
    partition: number,
    record: PartitionRecord,
    revision: number,
    readStored: (seq: number) => Promise<string>,
  ) {
    this.partition = partition;
    this.record = record;
    this.revision = revision;
    this.#readStored = readStored;
    this.#log = new PartitionLog(record);
  }

  get log(): PartitionLog {
    return this.#log;
  }

  /** False after its connection ended, or its consumer was deleted. */
  isReadOn(session: NatsSession): boolean {
    return this.#reader !== undefined && this.#session === session;
  }

  /** It is read, and the server has shown recently that it serves the reader. */
  isServedOn(session: NatsSession): boolean {
    return this.isReadOn(session) && this.#reader?.isServed === true;
  }

  get wantsMore(): boolean {
    return !this.releasing && this.#log.waiting < MAX_WAITING;
  }

  readBy(session: NatsSession, reader: PullReader): void {
    this.stopReading();
    this.#session = session;
    this.#reader = reader;
  }

  stopReading(): void {
    this.#reader?.stop();
    this.#reader = undefined;
  }

  /** The message to queue, if it is new. One that has ended is acknowledged once more. */
  arrived(message: Msg, address: AckAddress, reply: string): QueuedMessage | undefined {
    const { seq } = address;
    const keep = this.#log.waiting * message.data.length < MAX_BYTES_KEPT;
    const arrival = this.#log.arrived(seq, reply, () =>
      queuedMessage(message, address, {
        partition: this.partition,
        suspect: this.#log.mayHaveRun(seq),
        readAgain: keep ? undefined : () => this.#readStored(seq),
      }),
    );
    if (arrival.as === "ended") this.#acknowledge(reply);
    return arrival.message;
  }

  /** Fire and forget: if it is lost with the connection, the message comes again and is known to have ended. */
  ended(message: QueuedMessage): void {
    const address = this.#log.ended(message);
    if (address === undefined) return;
    this.#acknowledge(address);
    this.#reader?.wake();
  }

  #acknowledge(address: string): void {
    if (this.#session?.isOpen) this.#session.outgoing.send({ subject: address });
  }
}

/** More than these of one partition are not asked for, so that a stuck key does not fill the memory. */
const MAX_WAITING = 10_000;
/** Of one partition, roughly; the rest is read again from the stream when its turn comes. */
const MAX_BYTES_KEPT = 4_000_000;
const FIRST_HAND_OVER_PAUSE_MS = 1_000;
