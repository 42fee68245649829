import type { QueuedMessage } from "../../queued-message.ts";
import type { LocalProgress, PartitionRecord } from "./partition-record.ts";

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
