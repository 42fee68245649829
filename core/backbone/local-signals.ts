import { messageOf } from "../contract/app-error.ts";
import type { Listener } from "../contract/ports/bus.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { Subject } from "../contract/ports/subject.ts";
import { toJson } from "./input-checks.ts";

interface Subscription {
  /** Parses its own copy, because a listener may change the object. No schema check: the signal never left the process. */
  receive(json: string): Promise<void>;
  closed: boolean;
}

/** Signals within the process: asynchronous, in order, dropped if there is no listener. */
export class LocalSignals {
  readonly #logger: Logger;
  readonly #subscriptions = new Map<string, Set<Subscription>>();
  #sent: { json: string; to: Subscription[] }[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  signal<T>(subject: Subject<T>, message: T): void {
    if (this.hasListener(subject)) this.pass(subject, signalJson(subject, message));
  }

  hasListener({ name }: Subject<unknown>): boolean {
    return this.#subscriptions.has(name);
  }

  pass({ name }: Subject<unknown>, json: string): void {
    const subscriptions = this.#subscriptions.get(name);
    if (subscriptions === undefined) return;
    if (this.#sent.length === 0) setImmediate(() => this.#deliver());
    this.#sent.push({ json, to: [...subscriptions] });
  }

  listen<T>(subject: Subject<T>, handle: (message: T) => void): Listener {
    const name = subject.name;
    const subscription: Subscription = { closed: false, receive: (json) => this.#receive(subject, handle, json) };
    const subscriptions = this.#subscriptions.get(name) ?? new Set();
    this.#subscriptions.set(name, subscriptions.add(subscription));
    return {
      close: () => {
        subscription.closed = true;
        subscriptions.delete(subscription);
        if (subscriptions.size > 0 || this.#subscriptions.get(name) !== subscriptions) return;
        this.#subscriptions.delete(name);
      },
    };
  }

  close(): void {
    this.#subscriptions.clear();
    this.#sent = [];
  }

  #deliver(): void {
    const sent = this.#sent;
    this.#sent = [];
    for (const { json, to } of sent) {
      for (const subscription of to) if (!subscription.closed) void subscription.receive(json);
    }
  }

  /** Asynchronous, so that it catches the rejection of an async listener. */
  async #receive<T>(subject: Subject<T>, handle: (message: T) => void | Promise<void>, json: string): Promise<void> {
    try {
      await handle(JSON.parse(json) as T);
    } catch (error) {
      this.#logger.error({ subject: subject.name, error: messageOf(error) }, "signal listener failed");
    }
  }
}

export const signalJson = <T>({ name }: Subject<T>, message: T): string =>
  toJson(message, `a signal on ${name}`, Number.MAX_SAFE_INTEGER);
