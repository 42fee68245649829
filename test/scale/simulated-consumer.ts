import type { StreamMessage } from "./simulated-stream.ts";

interface Pull {
  left: number;
  /** Nothing: there is no more, and it does not wait. */
  readonly send: (message: StreamMessage | undefined) => void;
}

/** A pull consumer on one subject: it delivers in order, what was asked for, and knows what was acknowledged. */
export class SimulatedConsumer {
  readonly #filter: string;
  readonly #waiting: StreamMessage[];
  readonly #pulls: Pull[] = [];
  readonly #unacknowledged = new Set<number>();
  #delivered: number;

  constructor(waiting: readonly StreamMessage[], filter: string, from: number) {
    this.#waiting = [...waiting];
    this.#filter = filter;
    this.#delivered = from - 1;
  }

  get pending(): number {
    return this.#waiting.length;
  }

  /** Up to here everything was acknowledged, and up to there delivered. */
  get progress(): { floor: number; delivered: number } {
    const [oldest] = this.#unacknowledged;
    return { floor: oldest === undefined ? this.#delivered : oldest - 1, delivered: this.#delivered };
  }

  pull(batch: number, waits: boolean, send: Pull["send"]): void {
    const pull = { left: batch, send };
    this.#pulls.push(pull);
    this.#deliver();
    if (waits || pull.left === 0) return;
    this.#pulls.splice(this.#pulls.indexOf(pull), 1);
    send(undefined);
  }

  stored(message: StreamMessage): void {
    if (message.subject !== this.#filter) return;
    this.#waiting.push(message);
    this.#deliver();
  }

  acknowledge(seq: number): void {
    this.#unacknowledged.delete(seq);
  }

  #deliver(): void {
    for (let pull = this.#pulls[0]; pull !== undefined && this.#waiting.length > 0; pull = this.#pulls[0]) {
      const message = this.#waiting.shift() as StreamMessage;
      this.#delivered = message.seq;
      this.#unacknowledged.add(message.seq);
      pull.left--;
      if (pull.left === 0) this.#pulls.shift();
      pull.send(message);
    }
  }
}
