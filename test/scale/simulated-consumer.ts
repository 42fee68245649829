import type { Timer } from "../../core/contract/ports/clock.ts";
import type { StreamMessage } from "./simulated-stream.ts";
import type { SimulatedTime } from "./simulated-time.ts";

export interface PullWanted {
  readonly batch: number;
  /** False: ends with "empty" when there is no more. */
  readonly waits: boolean;
  readonly heartbeatMs?: number | undefined;
  /** The process that asked. */
  readonly process: string;
  /** False once the process that asked is dead or listens no longer: the server drops such a request. */
  isWanted(): boolean;
  /** `nth`: the number that the consumer gives its messages, or that of its last one. */
  send(sent: StreamMessage | "empty" | "heartbeat", nth: number): void;
}

interface Pull extends PullWanted {
  left: number;
  timer?: Timer | undefined;
}

/** A pull consumer on one subject: it delivers in order, what was asked for, and knows what was acknowledged. */
export class SimulatedConsumer {
  readonly #time: SimulatedTime;
  readonly #filter: string;
  readonly #waiting: StreamMessage[];
  readonly #pulls: Pull[] = [];
  readonly #unacknowledged = new Set<number>();
  #delivered: number;
  #sent = 0;

  constructor(time: SimulatedTime, waiting: readonly StreamMessage[], filter: string, from: number) {
    this.#time = time;
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

  /** The processes whose requests it would serve now. */
  get readers(): ReadonlySet<string> {
    return new Set(this.#pulls.filter((pull) => pull.isWanted()).map(({ process }) => process));
  }

  pull(wanted: PullWanted): void {
    const pull: Pull = { ...wanted, left: wanted.batch };
    this.#pulls.push(pull);
    this.#armHeartbeat(pull);
    this.#deliver();
    if (pull.waits || pull.left === 0) return;
    this.#end(pull);
    pull.send("empty", this.#sent);
  }

  /** Deleted: what was asked of it is never answered. */
  end(): void {
    for (const pull of [...this.#pulls]) this.#end(pull);
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
      if (!pull.isWanted()) {
        this.#end(pull);
        continue;
      }
      const message = this.#waiting.shift() as StreamMessage;
      this.#delivered = message.seq;
      this.#unacknowledged.add(message.seq);
      pull.left--;
      if (pull.left === 0) this.#end(pull);
      else this.#armHeartbeat(pull);
      pull.send(message, ++this.#sent);
    }
  }

  #armHeartbeat(pull: Pull): void {
    pull.timer?.cancel();
    if (pull.heartbeatMs === undefined) return;
    pull.timer = this.#time.at(this.#time.now + pull.heartbeatMs, () => {
      if (!pull.isWanted()) return this.#end(pull);
      pull.send("heartbeat", this.#sent);
      this.#armHeartbeat(pull);
    });
  }

  #end(pull: Pull): void {
    pull.timer?.cancel();
    this.#pulls.splice(this.#pulls.indexOf(pull), 1);
  }
}
