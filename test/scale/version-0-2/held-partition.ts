import type { Msg } from "nats";
import type { QueuedMessage } from "../../../core/backbone/key-lanes.ts";
import type { NatsSession } from "../../../core/backbone/nats/connection/nats-session.ts";
import type { PullReader } from "../../../core/backbone/nats/partitions/pull-reader.ts";
import { type AckAddress, queuedMessage } from "../../../core/backbone/nats/wire/envelope.ts";
import type { LocalProgress, PartitionRecord } from "./partition-record.ts";

/** A partition that this process owns: its record as last written, its reader and its open messages. */
export class HeldPartition {
  readonly partition: number;
  readonly #readStored: (seq: number) => Promise<string>;
  #log: PartitionLog;
  #session: NatsSession | undefined;
  #reader: PullReader | undefined;
  record: PartitionRecord;
  revision: number;
  /** The release has begun: no handler of the partition may start. */
  releasing = false;
  handingOver = false;
  /** Monotonic time since which heartbeats report it as unread; others may take it after a lease. */
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

  /** The reader runs, and the server has recently answered it. */
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

  /** Returns the message to queue if it is new. A duplicate of an ended message is acknowledged again. */
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

  /** Does not wait: if the acknowledgement is lost, the redelivered message is recognised as ended. */
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

/** Waiting messages of one partition; no more are requested, so that a blocked key does not fill the memory. */
const MAX_WAITING = 10_000;
/** Approximate, per partition; other messages are read again from the stream right before they run. */
const MAX_BYTES_KEPT = 4_000_000;
const FIRST_HAND_OVER_PAUSE_MS = 1_000;

interface Entry {
  readonly message: QueuedMessage;
  /** The reply subject of its acknowledgement; it changes with each redelivery. */
  address: string;
  started: boolean;
}

export type Arrival = "new" | "known" | "ended";

/**
 * The messages of one partition that its owner has received, and which of them are open. Messages arrive in stream order,
 * so each one that arrived and is not open has ended: a message that is stuck for days costs no memory for later ones.
 */
export class PartitionLog {
  /** In stream order. */
  readonly #open = new Map<number, Entry>();
  readonly #from: number;
  readonly #doneTo: number;
  readonly #leftOpen: ReadonlySet<number>;
  readonly #suspects: ReadonlySet<number>;
  readonly #suspectTo: number;
  #received = 0;

  constructor({ from, doneTo, open, suspects, suspectTo }: PartitionRecord) {
    this.#from = from;
    this.#doneTo = doneTo;
    this.#leftOpen = new Set(open);
    this.#suspects = new Set(suspects);
    this.#suspectTo = suspectTo;
  }

  /** Number of open messages. */
  get waiting(): number {
    return this.#open.size;
  }

  mayHaveRun(seq: number): boolean {
    return seq <= this.#suspectTo || this.#suspects.has(seq);
  }

  /** A redelivered open message only gets its new address; an ended one must be acknowledged again. */
  arrived(seq: number, address: string, make: () => QueuedMessage): { as: Arrival; message?: QueuedMessage } {
    const known = this.#open.get(seq);
    if (known) {
      known.address = address;
      return { as: "known" };
    }
    const cameBefore = seq < this.#from || seq <= this.#received;
    this.#received = Math.max(this.#received, seq);
    if (cameBefore || (seq <= this.#doneTo && !this.#leftOpen.has(seq))) return { as: "ended" };
    const message = make();
    this.#open.set(seq, { message, address, started: false });
    return { as: "new", message };
  }

  started(message: QueuedMessage): void {
    const entry = this.#open.get(message.seq);
    if (entry?.message === message) entry.started = true;
  }

  /** The address of its acknowledgement; undefined for a message of an earlier ownership. */
  ended(message: QueuedMessage): string | undefined {
    const entry = this.#open.get(message.seq);
    if (entry?.message !== message) return undefined;
    this.#open.delete(message.seq);
    return entry.address;
  }

  progress(): LocalProgress {
    const here = [...this.#open.keys()];
    const toCome = (seqs: ReadonlySet<number>) => [...seqs].filter((seq) => seq > this.#received);
    return {
      from: here[0] ?? Math.max(this.#from, this.#received + 1),
      doneTo: Math.max(this.#doneTo, this.#received),
      open: [...here, ...toCome(this.#leftOpen)],
      suspects: [
        ...here.filter((seq) => this.#open.get(seq)?.started || this.mayHaveRun(seq)),
        ...toCome(this.#suspects),
      ],
      suspectTo: this.#suspectTo > this.#received ? this.#suspectTo : 0,
      received: this.#received,
    };
  }
}
