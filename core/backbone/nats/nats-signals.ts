import type { Subscription } from "nats";
import { messageOf } from "../../contract/app-error.ts";
import type { Listener } from "../../contract/bus.ts";
import type { Subject } from "../../contract/subject.ts";
import { HEARERS_KNOWN_MS, HearingChecks } from "./hearing-checks.ts";
import type { NatsConnector } from "./nats-connector.ts";
import type { NatsNames } from "./nats-names.ts";
import type { NatsOptions } from "./nats-options.ts";
import type { NatsSession } from "./nats-session.ts";

interface Listening {
  subscribe(session: NatsSession): Subscription;
  subscription?: Subscription;
}

/** Plain NATS, without a stream: fast, and lost if nobody is connected. */
export class NatsSignals {
  readonly #connector: NatsConnector;
  readonly #names: NatsNames;
  readonly #options: Pick<NatsOptions, "clock" | "logger">;
  readonly #hearing: HearingChecks;
  readonly #listening = new Set<Listening>();

  constructor(connector: NatsConnector, names: NatsNames, options: Pick<NatsOptions, "clock" | "logger">) {
    this.#connector = connector;
    this.#names = names;
    this.#options = options;
    this.#hearing = new HearingChecks(options.clock);
    connector.onSession((session) => {
      for (const listening of this.#listening) listening.subscription = listening.subscribe(session);
    });
  }

  send<T>(subject: Subject<T>, message: T): void {
    const session = this.#connector.current;
    if (!session?.isOpen) return;
    const to = this.#names.signal(subject);
    const hearers = subject.seldomHeard ? this.#hearing.hearersOf(to) : "some";
    if (hearers === "none") return;
    const data = Buffer.from(JSON.stringify(message) ?? "null");
    if (hearers === "unknown") {
      this.#hearing.check(session, to, data);
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
      if (subject.seldomHeard) await new Promise<void>((later) => this.#options.clock.after(KNOWN_TO_ALL_MS, later));
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
      this.#options.logger.warn({ subject: subject.name, error: messageOf(error) }, "signal dropped");
    }
  }
}

/** After this long nobody counts on what the server said before; timers may be a little early. */
const KNOWN_TO_ALL_MS = HEARERS_KNOWN_MS + 10;
