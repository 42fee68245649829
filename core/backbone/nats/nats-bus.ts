import { AppError } from "../../contract/app-error.ts";
import type {
  Bus,
  ConsumeOptions,
  Consumer,
  Handler,
  Listener,
  PublishOptions,
  PublishOutcome,
} from "../../contract/ports/bus.ts";
import type { Subject } from "../../contract/ports/subject.ts";
import { checkConsumeOptions } from "../input-checks.ts";
import type { NatsPublisher } from "./nats-publisher.ts";
import type { NatsSignals } from "./nats-signals.ts";
import type { ConsumerGroups } from "./partitions/index.ts";

export interface NatsBusDeps {
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
