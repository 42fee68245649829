import type { JetStreamClient, JetStreamManager, NatsConnection } from "nats";
import type { RequestInbox } from "./request-inbox.ts";

type SessionParts = Pick<NatsSession, "nc" | "js" | "jsm" | "requests" | "newInbox">;

/**
 * One connection, from its start to its end. It is never reconnected: everything that hangs on it (subscriptions,
 * pulls, requests under way) ends with it, and is begun anew on the next.
 */
export class NatsSession {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly requests: RequestInbox;
  /** A subject for answers that nobody else has. */
  readonly newInbox: () => string;
  readonly #once = new Map<string, Promise<unknown>>();

  constructor({ nc, requests, js, jsm, newInbox }: SessionParts) {
    this.nc = nc;
    this.requests = requests;
    this.js = js;
    this.jsm = jsm;
    this.newInbox = newInbox;
  }

  get isOpen(): boolean {
    return !this.nc.isClosed();
  }

  /** Makes sure of something once per connection; a failure is not remembered. */
  once<R>(name: string, make: () => Promise<R>): Promise<R> {
    const known = this.#once.get(name) as Promise<R> | undefined;
    if (known) return known;
    const made = make();
    this.#once.set(name, made);
    made.catch(() => this.forget(name));
    return made;
  }

  forget(name: string): void {
    this.#once.delete(name);
  }
}
