import { NatsError } from "nats";
import { NatsConnector } from "../../core/backbone/nats/connection/nats-connector.ts";
import { natsOptions } from "../../core/backbone/nats/connection/nats-options.ts";
import { KvBucket } from "../../core/backbone/nats/kv/kv-bucket.ts";
import { NatsPublisher } from "../../core/backbone/nats/nats-bus.ts";
import { natsNames } from "../../core/backbone/nats/nats-names.ts";
import { NatsStore } from "../../core/backbone/nats/nats-store.ts";
import { PartitionRaise } from "../../core/backbone/nats/partition-raise.ts";
import { ConsumerGroups, PartitionLayout } from "../../core/backbone/nats/partitions/index.ts";
import type { Handler } from "../../core/contract/ports/bus.ts";
import type { Clock, Timer } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { Subject } from "../../core/contract/ports/subject.ts";
import { simulatedSession, type Wire } from "./simulated-connection.ts";
import type { SimulatedServer } from "./simulated-server.ts";
import type { SimulatedTime } from "./simulated-time.ts";
import { ConsumerGroups as ConsumerGroups02 } from "./version-0-2/consumer-groups.ts";

export interface ProcessOptions {
  readonly name: string;
  readonly server: SimulatedServer;
  readonly time: SimulatedTime;
  readonly random: () => number;
  readonly partitions: number;
  readonly leaseMs: number;
  readonly logger: Logger;
  readonly version?: Version;
}

/** 0.2 renews its member record, which every process watches, instead of a beat. */
export type Version = "current" | "0.2";

/** One process of the product: the real code of leases and partitions, on a simulated clock and server. */
export class SimulatedProcess {
  readonly name: string;
  readonly #time: SimulatedTime;
  readonly #random: () => number;
  readonly #groups: ConsumerGroups | ConsumerGroups02;
  readonly #publisher: NatsPublisher;
  readonly #raise: (to: number) => void;
  #state: "running" | "paused" | "stopped" = "running";
  /** Number of suspensions. */
  pauses = 0;
  #cut: () => void = () => undefined;
  #offlineUntil = 0;
  /** Events that arrived while it was suspended. */
  readonly #missed: (() => void)[] = [];
  readonly clock: Clock;

  constructor({ name, server, time, random, partitions, leaseMs, logger, version = "current" }: ProcessOptions) {
    this.name = name;
    this.#time = time;
    this.#random = random;
    this.clock = {
      now: () => time.now,
      monotonic: () => time.now,
      after: (ms, callback) => this.#after(ms, callback),
    };
    let ids = 0;
    const newId = () => `${name}-${++ids}`;
    const options = natsOptions({
      servers: ["simulated"],
      clock: this.clock,
      partitions,
      leaseMs,
      newId,
      random,
      logger,
    });
    const dial = async () => {
      if (time.now < this.#offlineUntil) throw new NatsError("refused", "CONNECTION_REFUSED");
      return simulatedSession(server, this.#wire());
    };
    const connector = new NatsConnector(options, async () => undefined, dial);
    void connector.open();
    const names = natsNames(options.prefix);
    const { replicas } = options;
    const layout = new PartitionLayout([partitions]);
    this.#publisher = new NatsPublisher(connector, names, options, layout);
    const partitionsBucket = new KvBucket(connector, { name: names.partitionsBucket, replicas });
    const membersBucket = new KvBucket(connector, { name: names.membersBucket, replicas });
    this.#raise = (to) => {
      const raise = new PartitionRaise({ partitionsBucket, membersBucket, options: { ...options, partitions: to } });
      raise.start();
    };
    const Groups = version === "0.2" ? ConsumerGroups02 : ConsumerGroups;
    this.#groups = new Groups({
      connector,
      names,
      options,
      ensureStream: (session, family) => this.#publisher.ensureStream(session, family),
      store: new NatsStore({ connector, names, replicas, clock: this.clock }),
      partitionsBucket,
      layout,
    });
  }

  get isRunning(): boolean {
    return this.#state === "running";
  }

  consume<T>(subject: Subject<T>, durable: string, handle: Handler<T>): Promise<unknown> {
    return this.#groups.consume(subject, { durable, concurrency: 100 }, handle);
  }

  publish<T>(subject: Subject<T>, message: T, id: string, key: string): Promise<unknown> {
    return this.#publisher.publish(subject, message, { id, key });
  }

  /** As a start with this number in the configuration does. */
  raise(partitions: number): void {
    this.#raise(partitions);
  }

  /** Shuts down in order. */
  async leave(): Promise<void> {
    await this.#groups.close();
    this.#state = "stopped";
  }

  crash(): void {
    this.#state = "stopped";
  }

  pause(): void {
    if (this.#state !== "running") return;
    this.#state = "paused";
    this.pauses++;
  }

  /** Ends the connection; no other one is accepted for this time. */
  disconnect(ms: number): void {
    this.#offlineUntil = this.#time.now + ms;
    this.#cut();
  }

  /** Runs the events that arrived meanwhile, in order. */
  resume(): void {
    if (this.#state !== "paused") return;
    this.#state = "running";
    for (const act of this.#missed.splice(0)) this.#time.at(this.#time.now, () => this.#runOrQueue(act));
  }

  #runOrQueue(act: () => void): void {
    if (this.#state === "running") act();
    else if (this.#state === "paused") this.#missed.push(act);
  }

  #after(ms: number, callback: () => void): Timer {
    let isCancelled = false;
    const timer = this.#time.at(this.#time.now + Math.max(0, ms), () =>
      this.#runOrQueue(() => {
        if (!isCancelled) callback();
      }),
    );
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  /** The delay in each direction is 0.2 to 2 ms. */
  #wire(): Wire {
    const state = { isCut: false, isClosed: false };
    const inOrder = (arrived: (act: () => void) => void) => {
      let last = 0;
      return (act: () => void) => {
        last = Math.max(last, this.#time.now + 0.2 + 1.8 * this.#random());
        this.#time.at(last, () => arrived(act));
      };
    };
    let close: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      close = () => {
        state.isCut = true;
        this.#runOrQueue(() => {
          state.isClosed = true;
          resolve();
        });
      };
    });
    this.#cut = close;
    const isStopped = () => this.#state === "stopped";
    return {
      process: this.name,
      after: (ms, act) => void this.#after(ms, act),
      // A message that was in transit when the connection ended may be lost.
      toServer: inOrder((act) => (state.isCut && this.#random() < 0.5 ? undefined : act())),
      toProcess: inOrder((act) => (state.isCut ? undefined : this.#runOrQueue(() => !state.isClosed && act()))),
      closed,
      close,
      get isClosed() {
        return state.isClosed;
      },
      get isCut() {
        return state.isCut || isStopped();
      },
    };
  }
}
