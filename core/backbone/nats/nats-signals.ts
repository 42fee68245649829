import type { Subscription } from "nats";
import { messageOf } from "../../contract/app-error.ts";
import type { Listener } from "../../contract/bus.ts";
import type { Subject } from "../../contract/subject.ts";
import { LocalSignals, signalJson } from "../local-signals.ts";
import type { NatsConnector } from "./nats-connector.ts";
import type { NatsNames } from "./nats-names.ts";
import type { NatsOptions } from "./nats-options.ts";
import type { NatsSession } from "./nats-session.ts";
import { PRESENCE_TTL_MS, SubscriberPresence } from "./subscriber-presence.ts";

/** All of this process who listen to one subject: the server sends each signal once. */
interface Ear {
  readonly hearings: Set<Hearing>;
  subscription?: Subscription;
}

interface Hearing {
  hear(text: string): void;
  /** False until everything that was sent before is through: whoever listens later does not hear it. */
  hasBegun: boolean;
}

/**
 * Plain NATS, without a stream: fast, and lost if nobody is connected. Who listens in this process is told here: the server
 * sends nobody what they have said themselves.
 */
export class NatsSignals {
  readonly #connector: NatsConnector;
  readonly #names: NatsNames;
  readonly #options: Pick<NatsOptions, "clock" | "logger">;
  readonly #presence: SubscriberPresence;
  readonly #here: LocalSignals;
  readonly #ears = new Map<string, Ear>();

  constructor(connector: NatsConnector, names: NatsNames, options: Pick<NatsOptions, "clock" | "logger">) {
    this.#connector = connector;
    this.#names = names;
    this.#options = options;
    this.#presence = new SubscriberPresence(options.clock);
    this.#here = new LocalSignals(options.logger);
    connector.onSession((session) => {
      for (const [name, ear] of this.#ears) subscribe(session, name, ear);
    });
  }

  send<T>(subject: Subject<T>, message: T): void {
    const session = this.#connector.current;
    const to = this.#names.signal(subject);
    const presence = subject.seldomHeard ? this.#presence.of(to) : "some";
    const isSent = session?.isOpen === true && presence !== "none";
    if (!isSent && !this.#here.hasListener(subject)) return;
    const json = signalJson(subject, message);
    this.#here.pass(subject, json);
    if (!isSent) return;
    const data = Buffer.from(json);
    if (presence === "unknown") {
      this.#presence.check(session, to, data);
      return;
    }
    session.outgoing.send({
      subject: to,
      data,
      failed: (error) =>
        this.#options.logger.debug({ subject: subject.name, error: messageOf(error) }, "signal not sent"),
    });
  }

  async listen<T>(subject: Subject<T>, handle: (message: T) => void): Promise<Listener> {
    const name = this.#names.signal(subject);
    const known = this.#ears.get(name);
    const ear: Ear = known ?? { hearings: new Set() };
    const hearing: Hearing = { hear: (text) => this.#heard(subject, text, handle), hasBegun: known === undefined };
    ear.hearings.add(hearing);
    const session = this.#connector.current;
    if (known === undefined) {
      this.#ears.set(name, ear);
      if (session?.isOpen) subscribe(session, name, ear);
    }
    if (session?.isOpen) {
      await session.flushed();
      if (subject.seldomHeard) await new Promise<void>((later) => this.#options.clock.after(KNOWN_TO_ALL_MS, later));
    }
    hearing.hasBegun = true;
    const here = this.#here.listen(subject, handle);
    return {
      close: () => {
        here.close();
        ear.hearings.delete(hearing);
        if (ear.hearings.size > 0 || this.#ears.get(name) !== ear) return;
        this.#ears.delete(name);
        if (!ear.subscription?.isClosed()) ear.subscription?.unsubscribe();
      },
    };
  }

  close(): void {
    this.#here.close();
  }

  #heard<T>(subject: Subject<T>, text: string, handle: (message: T) => void): void {
    try {
      handle(subject.schema.parse(JSON.parse(text)));
    } catch (error) {
      this.#options.logger.warn({ subject: subject.name, error: messageOf(error) }, "signal dropped");
    }
  }
}

const subscribe = ({ nc }: NatsSession, name: string, ear: Ear): void => {
  ear.subscription = nc.subscribe(name, {
    callback: (error, message) => {
      if (error) return;
      const text = message.string();
      for (const { hear, hasBegun } of ear.hearings) if (hasBegun) hear(text);
    },
  });
};

/** After this long nobody counts on what the server said before; timers may be a little early. */
const KNOWN_TO_ALL_MS = PRESENCE_TTL_MS + 10;
