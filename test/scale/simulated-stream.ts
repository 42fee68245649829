import type { MsgHdrs } from "nats";
import { NatsError } from "nats";
import { SimulatedConsumer } from "./simulated-consumer.ts";
import type { SimulatedTime } from "./simulated-time.ts";

export interface StreamMessage {
  readonly subject: string;
  readonly seq: number;
  readonly data: Uint8Array;
  readonly headers: MsgHdrs | undefined;
}

/** A stream of a JetStream server, reduced to the needs of leases and partitions. A bucket keeps the last message per subject. */
export class SimulatedStream {
  readonly name: string;
  readonly consumers = new Map<string, SimulatedConsumer>();
  readonly watchers = new Set<(message: StreamMessage) => void>();
  readonly #bySubject = new Map<string, StreamMessage[]>();
  readonly #keepsLast: boolean;
  readonly #time: SimulatedTime;
  /** Sequence numbers by message id, to detect duplicates as the server does within its duplicate window. */
  readonly #ids = new Map<string, number>();
  #lastSeq = 0;

  constructor(time: SimulatedTime, name: string, keepsLast: boolean) {
    this.#time = time;
    this.name = name;
    this.#keepsLast = keepsLast;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  last(subject: string): StreamMessage | undefined {
    return this.#bySubject.get(subject)?.at(-1);
  }

  /** The messages of one subject or, with ">" at the end, of all below it. */
  under(filter: string): StreamMessage[] {
    if (!filter.endsWith(">")) return this.#bySubject.get(filter) ?? [];
    const found = [...this.#bySubject].filter(([subject]) => subject.startsWith(filter.slice(0, -1)));
    return found.flatMap(([, messages]) => messages).sort((a, b) => a.seq - b.seq);
  }

  append(subject: string, data: Uint8Array, headers: MsgHdrs | undefined): number {
    const id = headers?.get("Nats-Msg-Id");
    const known = id ? this.#ids.get(id) : undefined;
    if (known !== undefined) return known;
    const expected = headers?.get("Nats-Expected-Last-Subject-Sequence");
    if (expected && Number(expected) !== (this.last(subject)?.seq ?? 0)) throw refusal(400, 10_071);
    const message = { subject, seq: ++this.#lastSeq, data, headers };
    if (id) this.#ids.set(id, message.seq);
    const before = this.#keepsLast ? [] : (this.#bySubject.get(subject) ?? []);
    before.push(message);
    this.#bySubject.set(subject, before);
    for (const notify of this.watchers) notify(message);
    for (const consumer of this.consumers.values()) consumer.stored(message);
    return message.seq;
  }

  addConsumer(name: string, filter: string, from: number): SimulatedConsumer {
    const known = this.consumers.get(name);
    if (known) return known;
    const consumer = new SimulatedConsumer(
      this.#time,
      this.under(filter).filter(({ seq }) => seq >= from),
      filter,
      from,
    );
    this.consumers.set(name, consumer);
    return consumer;
  }

  deleteConsumer(name: string): boolean {
    this.consumers.get(name)?.end();
    return this.consumers.delete(name);
  }

  consumer(name: string): SimulatedConsumer {
    const consumer = this.consumers.get(name);
    if (consumer === undefined) throw refusal(404, 10_014);
    return consumer;
  }
}

export const refusal = (code: number, err_code: number): NatsError => {
  const error = new NatsError("refused", String(code));
  error.api_error = { code, err_code, description: "refused" };
  return error;
};
