import { nanos, RetentionPolicy, StorageType } from "nats";
import { AppError } from "../../contract/app-error.ts";
import {
  type Bus,
  type ConsumeOptions,
  type Consumer,
  DUPLICATE_WINDOW_MS,
  type Handler,
  type Listener,
  MAX_MESSAGE_BYTES,
  type PublishOptions,
  type PublishOutcome,
  RETENTION_MS,
} from "../../contract/ports/bus.ts";
import type { Subject } from "../../contract/ports/subject.ts";
import { checkConsumeOptions, checkMessageId, toJson } from "../input-checks.ts";
import type { NatsConnector } from "./connection/nats-connector.ts";
import { isNoResponder } from "./connection/nats-fault.ts";
import type { NatsOptions } from "./connection/nats-options.ts";
import type { NatsSession } from "./connection/nats-session.ts";
import type { NatsNames } from "./nats-names.ts";
import type { NatsSignals } from "./nats-signals.ts";
import { type ConsumerGroups, type PartitionLayout, partitionOf } from "./partitions/index.ts";
import { envelopeHeaders } from "./wire/envelope.ts";
import { ensureStream, publishAcked } from "./wire/jetstream-requests.ts";

/** Publishes messages to the stream of their family. */
export class NatsPublisher {
  readonly #connector: NatsConnector;
  readonly #names: NatsNames;
  readonly #options: NatsOptions;
  readonly #layout: PartitionLayout;
  #inFlight = 0;

  constructor(connector: NatsConnector, names: NatsNames, options: NatsOptions, layout: PartitionLayout) {
    this.#layout = layout;
    this.#connector = connector;
    this.#names = names;
    this.#options = options;
  }

  /** A publication that was pending when the connection ended is retried on the next one, with the same id. */
  async publish<T>(subject: Subject<T>, message: T, { id, key }: PublishOptions): Promise<PublishOutcome> {
    checkMessageId(id, subject.name);
    const data = Buffer.from(toJson(message, `message "${id}" on ${subject.name}`, MAX_MESSAGE_BYTES));
    if (this.#inFlight >= MAX_IN_FLIGHT) {
      throw new AppError("unavailable", `${MAX_IN_FLIGHT} messages are waiting for NATS; retry later`);
    }
    const header = envelopeHeaders({
      subject: subject.name,
      id,
      key,
      publishedAt: this.#options.clock.now(),
    });
    this.#inFlight++;
    try {
      return await this.#connector.run(`publishing "${id}" on ${subject.name}`, async (session) => {
        await this.ensureStream(session, subject.family);
        // Only a connection knows the layout.
        const to = this.#names.message(subject, partitionOf(key ?? id, this.#layout.wire));
        try {
          const { duplicate } = await publishAcked(session, to, data, header);
          return duplicate ? "repeated" : "stored";
        } catch (error) {
          // Without a responder the stream may have been deleted, so the retry ensures it again.
          if (isNoResponder(error)) session.forget(this.#names.stream(subject.family));
          throw error;
        }
      });
    } finally {
      this.#inFlight--;
    }
  }

  ensureStream(session: NatsSession, family: string): Promise<unknown> {
    return ensureStream(session, {
      name: this.#names.stream(family),
      subjects: [this.#names.streamSubject(family)],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      max_age: nanos(RETENTION_MS),
      duplicate_window: nanos(DUPLICATE_WINDOW_MS),
      num_replicas: this.#options.replicas,
    });
  }
}

const MAX_IN_FLIGHT = 10_000;

interface NatsBusDeps {
  readonly publisher: NatsPublisher;
  readonly groups: ConsumerGroups;
  readonly signals: NatsSignals;
}

export class NatsBus implements Bus {
  readonly #deps: NatsBusDeps;
  #stopped = false;

  constructor(deps: NatsBusDeps) {
    this.#deps = deps;
  }

  publish<T>(subject: Subject<T>, message: T, options: PublishOptions): Promise<PublishOutcome> {
    return this.#deps.publisher.publish(subject, message, options);
  }

  async consume<T>(subject: Subject<T>, options: ConsumeOptions<T>, handle: Handler<T>): Promise<Consumer> {
    this.#refuseIfStopped();
    checkConsumeOptions(options);
    return this.#deps.groups.consume(subject, options, handle);
  }

  signal<T>(subject: Subject<T>, message: T): void {
    if (!this.#stopped) this.#deps.signals.send(subject, message);
  }

  async listen<T>(subject: Subject<T>, handle: (message: T) => void): Promise<Listener> {
    this.#refuseIfStopped();
    return this.#deps.signals.listen(subject, handle);
  }

  /** Running handlers may still publish. */
  async close(): Promise<void> {
    this.#stopped = true;
    await this.#deps.groups.close();
    this.#deps.signals.close();
  }

  #refuseIfStopped(): void {
    if (this.#stopped) throw new AppError("stopped", "the NATS backbone was closed");
  }
}
