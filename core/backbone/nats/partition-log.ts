import type { QueuedMessage } from "../queued-message.ts";
import type { LocalProgress, PartitionRecord } from "./partition-record.ts";

interface Entry {
  readonly message: QueuedMessage;
  /** Where its acknowledgement goes; another after every reconnect. */
  address: string;
  started: boolean;
  ended: boolean;
}

export type Arrival = "new" | "known" | "ended";

/** What one owner was sent of one partition, in stream order, and how much of it has ended. */
export class PartitionLog {
  readonly #entries = new Map<number, Entry>();
  readonly #order: number[] = [];
  readonly #doneElsewhere: Set<number>;
  readonly #suspects: Set<number>;
  readonly #suspectTo: number;
  #head = 0;
  #from: number;
  #received = 0;
  #waiting = 0;

  constructor({ from, done, suspects, suspectTo }: PartitionRecord) {
    this.#from = from;
    this.#doneElsewhere = new Set(done);
    this.#suspects = new Set(suspects);
    this.#suspectTo = suspectTo;
  }

  /** How many have not ended. */
  get waiting(): number {
    return this.#waiting;
  }

  mayHaveRun(seq: number): boolean {
    return seq <= this.#suspectTo || this.#suspects.has(seq);
  }

  /** A message that was sent before only gets its new address; one that has ended needs another acknowledgement. */
  arrived(seq: number, address: string, make: () => QueuedMessage): { as: Arrival; message?: QueuedMessage } {
    const known = this.#entries.get(seq);
    if (known) {
      known.address = address;
      return { as: known.ended ? "ended" : "known" };
    }
    if (seq < this.#from) return { as: "ended" };
    const ended = this.#doneElsewhere.delete(seq);
    const message = make();
    this.#entries.set(seq, { message, address, started: false, ended });
    this.#order.push(seq);
    this.#received = Math.max(this.#received, seq);
    if (ended) {
      this.#advance();
      return { as: "ended" };
    }
    this.#waiting++;
    return { as: "new", message };
  }

  started(message: QueuedMessage): void {
    const entry = this.#entries.get(message.seq);
    if (entry?.message === message) entry.started = true;
  }

  /** The address to acknowledge it at; nothing for a message of an earlier ownership. */
  ended(message: QueuedMessage): string | undefined {
    const entry = this.#entries.get(message.seq);
    if (entry?.message !== message || entry.ended) return undefined;
    entry.ended = true;
    this.#waiting--;
    this.#advance();
    return entry.address;
  }

  progress(): LocalProgress {
    const left = this.#order.slice(this.#head);
    return {
      from: this.#from,
      done: [...left.filter((seq) => this.#entries.get(seq)?.ended), ...this.#doneElsewhere],
      suspects: [
        ...left.filter((seq) => this.#isOpen(seq) && (this.#entries.get(seq)?.started || this.mayHaveRun(seq))),
        ...[...this.#suspects].filter((seq) => seq > this.#received),
      ],
      suspectTo: this.#suspectTo > this.#received ? this.#suspectTo : 0,
      received: this.#received,
    };
  }

  #isOpen(seq: number): boolean {
    return this.#entries.get(seq)?.ended === false;
  }

  #advance(): void {
    for (;;) {
      const seq = this.#order[this.#head];
      if (seq === undefined || this.#isOpen(seq)) break;
      this.#entries.delete(seq);
      this.#suspects.delete(seq);
      this.#from = seq + 1;
      this.#head++;
    }
    if (this.#head > COMPACT_FROM && this.#head * 2 > this.#order.length) {
      this.#order.splice(0, this.#head);
      this.#head = 0;
    }
  }
}

const COMPACT_FROM = 1_024;
