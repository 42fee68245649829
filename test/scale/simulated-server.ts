import { refusal, SimulatedStream } from "./simulated-stream.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/**
 * The fault of a request. lost: it never arrives. unanswered: it is executed, but its answer is lost. late: it is executed
 * after the timeout of the process. no-responder, no-quorum: refused, as by a cluster without a leader or a quorum.
 */
export type Fault = "lost" | "unanswered" | "late" | "no-responder" | "no-quorum";

/** A JetStream server that answers at once; the connections add the delay. */
export class SimulatedServer {
  readonly #time: SimulatedTime;
  readonly #streams = new Map<string, SimulatedStream>();
  /** Number of requests, and of messages that it sent without a request, by kind. */
  readonly traffic = new Map<string, number>();

  /** Bytes of the subjects, headers and values of writes, reads and updates of buckets, by kind. */
  readonly bytes = new Map<string, number>();

  /** Decides the fault of each request. Any fault loses an update of a watch, a delivery, a heartbeat or an ack. */
  faultOf: (process: string, kind: string, subject?: string) => Fault | undefined = () => undefined;

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  count(kind: string, bytes = 0): void {
    this.traffic.set(kind, (this.traffic.get(kind) ?? 0) + 1);
    if (bytes > 0) this.bytes.set(kind, (this.bytes.get(kind) ?? 0) + bytes);
  }

  later(ms: number, act: () => void): void {
    this.#time.at(this.#time.now + ms, act);
  }

  stream(name: string): SimulatedStream {
    const stream = this.#streams.get(name);
    if (stream === undefined) throw refusal(404, 10_059);
    return stream;
  }

  /** Creates the stream unless it exists. */
  addStream(name: string): SimulatedStream {
    const stream = this.#streams.get(name) ?? new SimulatedStream(this.#time, name, name.startsWith("KV_"));
    this.#streams.set(name, stream);
    return stream;
  }

  /** The stream of a subject: subjects of buckets name their bucket; all others belong to the only stream. */
  streamOf(subject: string): SimulatedStream {
    const [first, bucket] = subject.split(".");
    if (first === "$KV") return this.stream(`KV_${bucket}`);
    const streams = [...this.#streams.values()].filter(({ name }) => !name.startsWith("KV_"));
    const [stream] = streams;
    if (stream === undefined || streams.length > 1) throw refusal(404, 10_059);
    return stream;
  }
}
