import type { Subscription } from "nats";
import { messageOf } from "../../contract/app-error.ts";
import type { Listener } from "../../contract/ports/bus.ts";
import type { Clock } from "../../contract/ports/clock.ts";
import type { Subject } from "../../contract/ports/subject.ts";
import { LocalSignals, signalJson } from "../local-signals.ts";
import type { NatsConnector } from "./connection/nats-connector.ts";
import { isNoResponder } from "./connection/nats-fault.ts";
import type { NatsOptions } from "./connection/nats-options.ts";
import type { NatsSession } from "./connection/nats-session.ts";
import type { NatsNames } from "./nats-names.ts";

/** The listeners of this process on one subject share a subscription, so the server sends each signal once. */
interface SharedSubscription {
  readonly listeners: Set<SignalListener>;
  subscription?: Subscription;
}

interface SignalListener {
  receive(text: string): void;
  /** False until all earlier signals have passed, so that a new listener receives only later ones. */
  isActive: boolean;
}

/**
 * Signals over core NATS, without a stream: fast, and lost without a connection. Listeners of this process receive them
 * through LocalSignals, because the connection has noEcho set.
 */
export class NatsSignals {
  readonly #connector: NatsConnector;
  readonly #names: NatsNames;
  readonly #options: Pick<NatsOptions, "clock" | "logger">;
  readonly #presence: SubscriberPresence;
  readonly #local: LocalSignals;
  readonly #shared = new Map<string, SharedSubscription>();

  constructor(connector: NatsConnector, names: NatsNames, options: Pick<NatsOptions, "clock" | "logger">) {
    this.#connector = connector;
    this.#names = names;
    this.#options = options;
    this.#presence = new SubscriberPresence(options.clock);
    this.#local = new LocalSignals(options.logger);
    connector.onSession((session) => {
      for (const [name, shared] of this.#shared) subscribe(session, name, shared);
    });
  }

  send<T>(subject: Subject<T>, message: T): void {
    const session = this.#connector.current;
    const to = this.#names.signal(subject);
    const presence = subject.rarelyObserved ? this.#presence.of(to) : "some";
    const isSent = session?.isOpen === true && presence !== "none";
    if (!isSent && !this.#local.hasListener(subject)) return;
    const json = signalJson(subject, message);
    this.#local.pass(subject, json);
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
        this.#options.logger.debug({ subject: subject.name, error: messageOf(error) }, "could not send signal"),
    });
  }

  async listen<T>(subject: Subject<T>, handle: (message: T) => void): Promise<Listener> {
    const name = this.#names.signal(subject);
    const known = this.#shared.get(name);
    const shared: SharedSubscription = known ?? { listeners: new Set() };
    const listener: SignalListener = {
      receive: (text) => this.#receive(subject, text, handle),
      isActive: known === undefined,
    };
    shared.listeners.add(listener);
    const session = this.#connector.current;
    if (known === undefined) {
      this.#shared.set(name, shared);
      if (session?.isOpen) subscribe(session, name, shared);
    }
    if (session?.isOpen) {
      await session.flushed();
      if (subject.rarelyObserved)
        await new Promise<void>((later) => this.#options.clock.after(PRESENCE_EXPIRED_MS, later));
    }
    listener.isActive = true;
    const local = this.#local.listen(subject, handle);
    return {
      close: () => {
        local.close();
        shared.listeners.delete(listener);
        if (shared.listeners.size > 0 || this.#shared.get(name) !== shared) return;
        this.#shared.delete(name);
        if (!shared.subscription?.isClosed()) shared.subscription?.unsubscribe();
      },
    };
  }

  close(): void {
    this.#local.close();
  }

  #receive<T>(subject: Subject<T>, text: string, handle: (message: T) => void): void {
    try {
      handle(subject.schema.parse(JSON.parse(text)));
    } catch (error) {
      this.#options.logger.warn({ subject: subject.name, error: messageOf(error) }, "invalid signal dropped");
    }
  }
}

const subscribe = ({ nc }: NatsSession, name: string, shared: SharedSubscription): void => {
  shared.subscription = nc.subscribe(name, {
    callback: (error, message) => {
      if (error) return;
      const text = message.string();
      for (const { receive, isActive } of shared.listeners) if (isActive) receive(text);
    },
  });
};

/** Whether the subject had a subscriber at the last check; "unknown" if that check has expired. */
type Presence = "some" | "none" | "unknown";

/** TTL of a check's result. */
export const PRESENCE_TTL_MS = 250;
/** Then no process relies on a check from before the subscription; timers may fire a little early. */
const PRESENCE_EXPIRED_MS = PRESENCE_TTL_MS + 10;

/**
 * Caches whether a subject has subscribers, so that signals without one are not sent. The server answers a request to a
 * subject without subscribers with "no responders".
 */
class SubscriberPresence {
  readonly #clock: Clock;
  readonly #last = new Map<string, { readonly at: number; presence: Presence }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(subject: string): Presence {
    const last = this.#last.get(subject);
    return last === undefined || this.#clock.monotonic() - last.at >= PRESENCE_TTL_MS ? "unknown" : last.presence;
  }

  /** Sends the data as a request. Subscribers do not answer it, so no answer means that there is one. */
  check({ requests }: NatsSession, subject: string, data: Uint8Array): void {
    const check: { at: number; presence: Presence } = { at: this.#clock.monotonic(), presence: "some" };
    this.#last.set(subject, check);
    requests.request(subject, data).catch((error: unknown) => {
      if (isNoResponder(error)) check.presence = "none";
    });
  }
}
