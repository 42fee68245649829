import { refusal, SimulatedStream } from "./simulated-stream.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/**
 * What becomes of a request. lost: it never arrives. unanswered: it is carried out, its answer never arrives. late: it is
 * carried out after the process stopped waiting. no-responder, no-quorum: refused as a cluster in trouble does.
 */
export type Fault = "lost" | "unanswered" | "late" | "no-responder" | "no-quorum";

/** A JetStream server that answers at once; how long its words travel is the connections' business. */
export class SimulatedServer {
  readonly #time: SimulatedTime;
  readonly #streams = new Map<string, SimulatedStream>();
  /** What it was asked, and what it sent by itself, by kind. */
  readonly traffic = new Map<string, number>();

  /** Decides for each request of a process; any fault loses an update of a watch, a delivery, a heartbeat or an ack. */
  faultOf: (process: string, kind: string, subject?: string) => Fault | undefined = () => undefined;

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  count(kind: string): void {
    this.traffic.set(kind, (this.traffic.get(kind) ?? 0) + 1);
  }

  later(ms: number, act: () => void): void {
    this.#time.at(this.#time.now + ms, act);
  }

  stream(name: string): SimulatedStream {
    const stream = this.#streams.get(name);
    if (stream === undefined) throw refusal(404, 10_059);
    return stream;
  }

  /** Made if it is not there. */
  addStream(name: string): SimulatedStream {
    const stream = this.#streams.get(name) ?? new SimulatedStream(this.#time, name, name.startsWith("KV_"));
    this.#streams.set(name, stream);
    return stream;
  }

  /** Where a subject is stored: a bucket's subjects name it, and all others go into the one stream there is. */
  streamOf(subject: string): SimulatedStream {
    const [first, bucket] = subject.split(".");
    if (first === "$KV") return this.stream(`KV_${bucket}`);
    const streams = [...this.#streams.values()].filter(({ name }) => !name.startsWith("KV_"));
    const [stream] = streams;
    if (stream === undefined || streams.length > 1) throw refusal(404, 10_059);
    return stream;
  }
}
