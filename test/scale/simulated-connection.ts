import {
  createInbox,
  Empty,
  headers,
  type JetStreamClient,
  type JetStreamManager,
  type KvEntry,
  type Msg,
  type MsgHdrs,
  millis,
  type NatsConnection,
  NatsError,
} from "nats";
import { NatsSession } from "../../core/backbone/nats/connection/nats-session.ts";
import type { RequestInbox } from "../../core/backbone/nats/connection/outgoing.ts";
import type { SimulatedServer } from "./simulated-server.ts";
import { refusal, type StreamMessage } from "./simulated-stream.ts";

/** The transport between one process and the server: in order in each direction, with a delay. */
export interface Wire {
  readonly process: string;
  /** On the clock of the process. */
  after(ms: number, act: () => void): void;
  toServer(arrive: () => void): void;
  toProcess(arrive: () => void): void;
  /** The connection has ended for the server. */
  readonly isCut: boolean;
  /** The process has noticed that the connection has ended. */
  readonly isClosed: boolean;
  readonly closed: Promise<void>;
  /** The process closes the connection. */
  close(): void;
}

type Callback = (error: NatsError | null, message: Msg) => void;

/** The part of the client library that leases and partitions use, on a simulated server. */
export const simulatedSession = (server: SimulatedServer, wire: Wire): NatsSession => {
  const subscriptions = new Map<string, Callback>();

  const ask = <R>(
    kind: string,
    work: () => R,
    timeoutMs = REQUEST_TIMEOUT_MS,
    subject?: string,
    bytes?: number,
  ): Promise<R> =>
    new Promise((resolve, reject) => {
      if (wire.isClosed) return reject(connectionClosed());
      void wire.closed.then(() => reject(connectionClosed()));
      wire.toServer(() => {
        server.count(kind, bytes);
        const fault = server.faultOf(wire.process, kind, subject);
        if (fault === "no-responder") return wire.toProcess(() => reject(new NatsError("503", "503")));
        if (fault === "no-quorum") return wire.toProcess(() => reject(refusal(503, 10_008)));
        const timeout = () => reject(new NatsError("TIMEOUT", "TIMEOUT"));
        if (fault !== undefined) wire.toProcess(() => wire.after(timeoutMs, timeout));
        if (fault === "lost") return;
        const execute = () => {
          try {
            const answer = work();
            if (fault === undefined) wire.toProcess(() => resolve(answer));
          } catch (error) {
            if (fault === undefined) wire.toProcess(() => reject(error));
          }
        };
        if (fault === "late") server.later(LATE_BY_MS, execute);
        else execute();
      });
    });

  const read = (stream: string, subject: string): Msg => {
    const message = server.stream(stream).last(subject);
    if (message) server.count("answer to a read", bytesOf(message));
    return found(message);
  };

  const request = (subject: string, data: Uint8Array, given?: MsgHdrs, timeoutMs?: number): Promise<Msg> => {
    const answer = () => {
      const direct = /^\$JS\.API\.DIRECT\.GET\.([^.]+)\.(.+)$/.exec(subject);
      return direct
        ? read(direct[1] ?? "", direct[2] ?? "")
        : stored(() => server.streamOf(subject).append(subject, data, given));
    };
    return ask(kindOf(subject), answer, timeoutMs, subject, bytesOf({ subject, data, headers: given }));
  };

  const pull = (subject: string, { batch, no_wait = false, idle_heartbeat }: PullOptions, inbox: string): void => {
    const [stream = "", consumer = ""] = subject.split(".").slice(5);
    const receive = (message: Msg) =>
      wire.toProcess(() => (subscriptions.get(inbox) ?? subscriptions.get(siblingsOf(inbox)))?.(null, message));
    const isListening = () => subscriptions.has(inbox) || subscriptions.has(siblingsOf(inbox));
    const send = (sent: StreamMessage | "empty" | "heartbeat", deliveries: number) => {
      if (sent === "empty") return receive(noMessages(inbox));
      const kind = sent === "heartbeat" ? "heartbeat" : "delivery";
      server.count(kind);
      // A message can be lost between the leader of the consumer and the server that the process is connected to.
      if (!no_wait && server.faultOf(wire.process, kind) !== undefined) return;
      if (sent === "heartbeat") return receive(idleHeartbeat(inbox, deliveries));
      receive(messageOf(sent, `$JS.ACK.${stream}.${consumer}.1.${sent.seq}.${deliveries}.0.0`));
    };
    wire.toServer(() => {
      server.count("pull");
      const heartbeatMs = idle_heartbeat === undefined ? undefined : millis(idle_heartbeat);
      const isOpen = () => !wire.isCut && isListening();
      if (server.faultOf(wire.process, "pull") !== undefined) {
        if (no_wait) receive(refusedPull(inbox));
        return;
      }
      const known = server.stream(stream).consumers.get(consumer);
      if (known) known.pull({ process: wire.process, batch, waits: !no_wait, heartbeatMs, isOpen, send });
      else send("empty", 0);
    });
  };

  const acknowledge = (subject: string): void => {
    const [, , stream = "", consumer = "", , seq] = subject.split(".");
    wire.toServer(() => {
      server.count("ack");
      if (server.faultOf(wire.process, "ack") !== undefined) return;
      server.stream(stream).consumers.get(consumer)?.acknowledge(Number(seq));
    });
  };

  const nc = {
    isClosed: () => wire.isClosed,
    closed: () => wire.closed,
    close: () => {
      wire.close();
      return wire.closed;
    },
    getServer: () => "simulated",
    publish: (subject: string, data?: string, options?: { reply: string }) =>
      subject.startsWith("$JS.ACK.")
        ? acknowledge(subject)
        : pull(subject, JSON.parse(data ?? "{}"), options?.reply ?? ""),
    subscribe: (subject: string, { callback }: { callback: Callback }) => {
      subscriptions.set(subject, callback);
      return { closed: wire.closed, unsubscribe: () => subscriptions.delete(subject) };
    },
  };

  const infoOf = (name: string) => ({
    config: { allow_direct: true, num_replicas: 1 },
    state: { last_seq: server.stream(name).lastSeq },
  });
  const jsm = {
    getOptions: () => ({ timeout: 60_000 }),
    streams: {
      info: (name: string) => ask("stream info", () => infoOf(name)),
      add: ({ name }: { name: string }) =>
        ask("create a stream", () => {
          server.addStream(name);
          return infoOf(name);
        }),
    },
    consumers: {
      add: (stream: string, { name, filter_subject, opt_start_seq = 1 }: ConsumerConfig) =>
        ask("create a consumer", () => {
          const consumer = server.stream(stream).addConsumer(name, filter_subject, opt_start_seq);
          return { name, num_pending: consumer.pending };
        }),
      info: (stream: string, name: string) =>
        ask("consumer info", () => {
          const { floor, delivered } = server.stream(stream).consumer(name).progress;
          const { readers, pending } = server.stream(stream).consumer(name);
          return {
            ack_floor: { stream_seq: floor },
            delivered: { stream_seq: delivered },
            num_waiting: readers.size,
            num_pending: pending,
          };
        }),
      delete: (stream: string, name: string) =>
        ask("delete a consumer", () => server.stream(stream).deleteConsumer(name)),
    },
  };

  const watch = async (bucket: string): Promise<Updates> => {
    const updates = new Updates();
    void wire.closed.then(() => updates.stop());
    await ask("watch", () => {
      const stream = server.stream(`KV_${bucket}`);
      const notify = (message: StreamMessage) => {
        if (wire.isCut) return void stream.watchers.delete(notify);
        server.count("update", bytesOf(message));
        // The watch delivers no further update.
        if (server.faultOf(wire.process, "update", message.subject) !== undefined)
          return void stream.watchers.delete(notify);
        wire.toProcess(() => updates.add(entryOf(bucket, message)));
      };
      stream.watchers.add(notify);
      for (const message of stream.under(`$KV.${bucket}.>`)) notify(message);
    });
    return updates;
  };
  const js = { views: { kv: async (bucket: string) => ({ watch: () => watch(bucket) }) } };

  return new NatsSession({
    nc: nc as unknown as NatsConnection,
    outgoing: { send: ({ subject }) => nc.publish(subject), flush: () => undefined },
    requests: { request } as unknown as RequestInbox,
    js: js as unknown as JetStreamClient,
    jsm: jsm as unknown as JetStreamManager,
    lookups: jsm as unknown as JetStreamManager,
    newInbox: () => createInbox(),
  });
};

interface PullOptions {
  readonly batch: number;
  readonly no_wait?: boolean;
  /** Nanoseconds. */
  readonly idle_heartbeat?: number;
}

interface ConsumerConfig {
  readonly name: string;
  readonly filter_subject: string;
  readonly opt_start_seq?: number;
}

/** The updates of a bucket's watch, in order, until it is stopped. */
class Updates implements AsyncIterable<KvEntry> {
  readonly #waiting: KvEntry[] = [];
  #next: ((entry: IteratorResult<KvEntry>) => void) | undefined;
  #stopped = false;

  stop(): void {
    this.#stopped = true;
    this.#next?.({ value: undefined, done: true });
    this.#next = undefined;
  }

  add(entry: KvEntry): void {
    const next = this.#next;
    this.#next = undefined;
    if (next) next({ value: entry, done: false });
    else this.#waiting.push(entry);
  }

  [Symbol.asyncIterator](): AsyncIterator<KvEntry> {
    return {
      next: () => {
        if (this.#stopped) return Promise.resolve({ value: undefined, done: true });
        const entry = this.#waiting.shift();
        if (entry) return Promise.resolve({ value: entry, done: false });
        return new Promise((resolve) => {
          this.#next = resolve;
        });
      },
    };
  }
}

const kindOf = (subject: string): string => {
  if (subject.startsWith("$JS.API.DIRECT.GET.")) return "read";
  return subject.startsWith("$KV.") ? "write" : "publish";
};

const entryOf = (bucket: string, { subject, seq, data, headers: given }: StreamMessage): KvEntry =>
  ({
    key: subject.slice(`$KV.${bucket}.`.length),
    revision: seq,
    operation: given?.get("KV-Operation") || "PUT",
    value: data,
  }) as KvEntry;

const messageOf = (given: Pick<StreamMessage, "subject" | "data" | "headers">, reply?: string): Msg =>
  ({ ...given, reply, string: () => Buffer.from(given.data).toString() }) as Msg;

const noMessages = (subject = ""): Msg => messageOf({ subject, data: Empty, headers: headers(404, "No Messages") });

const refusedPull = (subject: string): Msg =>
  messageOf({ subject, data: Empty, headers: headers(503, "No Responders") });

const idleHeartbeat = (subject: string, deliveries: number): Msg => {
  const given = headers(100, "Idle Heartbeat");
  given.set("Nats-Last-Consumer", String(deliveries));
  return messageOf({ subject, data: Empty, headers: given });
};

const connectionClosed = (): NatsError => new NatsError("CONNECTION_CLOSED", "CONNECTION_CLOSED");

/** The wildcard that matches a subject and its siblings. */
const siblingsOf = (subject: string): string => subject.replace(/[^.]+$/, "*");

/** The size of a stored message as sent, without the protocol's own words. */
const bytesOf = ({ subject, data, headers: given }: Pick<StreamMessage, "subject" | "data" | "headers">): number => {
  let bytes = subject.length + data.length;
  for (const [name, values] of given ?? []) for (const value of values) bytes += name.length + value.length + 4;
  return bytes;
};

/** The answer to a direct read. */
const found = (message: StreamMessage | undefined): Msg => {
  if (message === undefined) return noMessages();
  const given = headers();
  for (const [name, values] of message.headers ?? []) for (const value of values) given.append(name, value);
  given.set("Nats-Sequence", String(message.seq));
  return messageOf({ ...message, headers: given });
};

/** The answer to a write. */
const stored = (append: () => number): Msg => {
  const answer = () => {
    try {
      return { seq: append() };
    } catch (error) {
      if (error instanceof NatsError && error.api_error) return { error: error.api_error };
      throw error;
    }
  };
  return messageOf({ subject: "", data: Buffer.from(JSON.stringify(answer())), headers: undefined });
};

/** The default of the product. */
const REQUEST_TIMEOUT_MS = 5_000;
const LATE_BY_MS = 7_000;
