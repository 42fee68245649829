import type { Subscription } from "nats";
import { messageOf } from "../../contract/app-error.ts";
import type { Listener } from "../../contract/bus.ts";
import type { Logger } from "../../contract/logger.ts";
import type { Subject } from "../../contract/subject.ts";
import type { NatsConnector } from "./nats-connector.ts";
import type { NatsNames } from "./nats-names.ts";
import type { NatsSession } from "./nats-session.ts";

interface Listening {
  subscribe(session: NatsSession): Subscription;
  subscription?: Subscription;
}

/** Plain NATS, without a stream: fast, and lost if nobody is connected. */
export class NatsSignals {
  readonly #connector: NatsConnector;
  readonly #names: NatsNames;
  readonly #logger: Logger;
  readonly #listening = new Set<Listening>();

  constructor(connector: NatsConnector, names: NatsNames, logger: Logger) {
    this.#connector = connector;
    this.#names = names;
    this.#logger = logger;
    connector.onSession((session) => {
      for (const listening of this.#listening) listening.subscription = listening.subscribe(session);
    });
  }

  send<T>(subject: Subject<T>, message: T): void {
    const session = this.#connector.current;
    if (!session?.isOpen) return;
    session.outgoing.send({
      subject: this.#names.signal(subject),
      data: JSON.stringify(message) ?? "null",
      failed: (error) => this.#logger.debug({ subject: subject.name, error: messageOf(error) }, "signal not sent"),
    });
  }

  async listen<T>(subject: Subject<T>, handle: (message: T) => void): Promise<Listener> {
    const listening: Listening = {
      subscribe: (session) =>
        session.nc.subscribe(this.#names.signal(subject), {
          callback: (error, message) => {
            if (!error) this.#heard(subject, message.string(), handle);
          },
        }),
    };
    this.#listening.add(listening);
    const session = this.#connector.current;
    if (session?.isOpen) {
      listening.subscription = listening.subscribe(session);
      await session.flushed();
    }
    return {
      close: () => {
        this.#listening.delete(listening);
        if (!listening.subscription?.isClosed()) listening.subscription?.unsubscribe();
      },
    };
  }

  #heard<T>(subject: Subject<T>, text: string, handle: (message: T) => void): void {
    try {
      handle(subject.schema.parse(JSON.parse(text)));
    } catch (error) {
      this.#logger.warn({ subject: subject.name, error: messageOf(error) }, "signal dropped");
    }
  }
}
