import { AppError } from "../../contract/app-error.ts";
import type {
  Bus,
  ConsumeOptions,
  Consumer,
  Handler,
  Listener,
  PublishOptions,
  PublishOutcome,
} from "../../contract/bus.ts";
import type { Subject } from "../../contract/subject.ts";
import { checkConsumeOptions } from "../check-consume-options.ts";
import type { NatsPublisher } from "./nats-publisher.ts";
import type { NatsSignals } from "./nats-signals.ts";
import type { ConsumerGroups } from "./partitions/index.ts";

export interface NatsBusParts {
  readonly publisher: NatsPublisher;
  readonly groups: ConsumerGroups;
  readonly signals: NatsSignals;
}

export class NatsBus implements Bus {
  readonly #parts: NatsBusParts;
  #stopped = false;

  constructor(parts: NatsBusParts) {
    this.#parts = parts;
  }

  publish<T>(subject: Subject<T>, message: T, options: PublishOptions): Promise<PublishOutcome> {
    return this.#parts.publisher.publish(subject, message, options);
  }

  async consume<T>(subject: Subject<T>, options: ConsumeOptions<T>, handle: Handler<T>): Promise<Consumer> {
    this.#refuseIfStopped();
    checkConsumeOptions(options);
    return this.#parts.groups.consume(subject, options, handle);
  }

  signal<T>(subject: Subject<T>, message: T): void {
    if (!this.#stopped) this.#parts.signals.send(subject, message);
  }

  async listen<T>(subject: Subject<T>, handle: (message: T) => void): Promise<Listener> {
    this.#refuseIfStopped();
    return this.#parts.signals.listen(subject, handle);
  }

  /** Handlers under way may still publish. */
  async close(): Promise<void> {
    this.#stopped = true;
    await this.#parts.groups.close();
    this.#parts.signals.close();
  }

  #refuseIfStopped(): void {
    if (this.#stopped) throw new AppError("stopped", "the NATS backbone was closed");
  }
}
