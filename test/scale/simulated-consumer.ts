import type { Timer } from "../../core/contract/ports/clock.ts";
import type { StreamMessage } from "./simulated-stream.ts";
import type { SimulatedTime } from "./simulated-time.ts";

export interface PullRequest {
  readonly batch: number;
  /** False: the request ends with "empty" when no message is left. */
  readonly waits: boolean;
  readonly heartbeatMs?: number | undefined;
  /** The process that sent the request. */
  readonly process: string;
  /** False once its process has crashed or unsubscribed: the server drops such a request. */
  isOpen(): boolean;
  /** `nth`: the consumer sequence number of the message, or of the last one. */
  send(sent: StreamMessage | "empty" | "heartbeat", nth: number): void;
}

interface Pull extends PullRequest {
  left: number;
  timer?: Timer | undefined;
}

/** A pull consumer on one subject: it delivers requested messages in order and tracks acknowledgements. */
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

  /** All messages up to `floor` are acknowledged, and all up to `delivered` are delivered. */
  get progress(): { floor: number; delivered: number } {
    const [oldest] = this.#unacknowledged;
    return { floor: oldest === undefined ? this.#delivered : oldest - 1, delivered: this.#delivered };
  }

  /** The processes whose requests it would serve now. */
  get readers(): ReadonlySet<string> {
    return new Set(this.#pulls.filter((pull) => pull.isOpen()).map(({ process }) => process));
  }

  pull(request: PullRequest): void {
    const pull: Pull = { ...request, left: request.batch };
    this.#pulls.push(pull);
    this.#armHeartbeat(pull);
    this.#deliver();
    if (pull.waits || pull.left === 0) return;
    this.#end(pull);
    pull.send("empty", this.#sent);
  }

  /** Deletes the consumer: open requests get no answer. */
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
      if (!pull.isOpen()) {
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
      if (!pull.isOpen()) return this.#end(pull);
      pull.send("heartbeat", this.#sent);
      this.#armHeartbeat(pull);
    });
  }

  #end(pull: Pull): void {
    pull.timer?.cancel();
    this.#pulls.splice(this.#pulls.indexOf(pull), 1);
  }
}
