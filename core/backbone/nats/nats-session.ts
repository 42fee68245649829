import type { JetStreamClient, JetStreamManager, NatsConnection } from "nats";
import type { Outgoing } from "./outgoing.ts";
import type { RequestInbox } from "./request-inbox.ts";

type SessionDeps = Pick<NatsSession, "nc" | "js" | "jsm" | "lookups" | "outgoing" | "requests" | "newInbox">;

/**
 * One connection, from its start to its end. It is never reconnected: everything that hangs on it (subscriptions,
 * pulls, requests under way) ends with it, and is begun anew on the next.
 */
export class NatsSession {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** For requests that change nothing. They wait less for an answer, because they can be repeated at no risk. */
  readonly lookups: JetStreamManager;
  readonly outgoing: Pick<Outgoing, "send" | "flush">;
  readonly requests: RequestInbox;
  /** A subject for answers that nobody else has. */
  readonly newInbox: () => string;
  readonly #once = new Map<string, Promise<unknown>>();
  readonly #flushing = new Set<() => void>();

  constructor({ nc, outgoing, requests, js, jsm, lookups, newInbox }: SessionDeps) {
    this.nc = nc;
    this.outgoing = outgoing;
    this.requests = requests;
    this.js = js;
    this.jsm = jsm;
    this.lookups = lookups;
    this.newInbox = newInbox;
    void nc.closed().then(() => {
      for (const done of this.#flushing) done();
    });
  }

  get isOpen(): boolean {
    return !this.nc.isClosed();
  }

  /** Resolves once the server has all that was sent, or the connection has ended: the client's flush() misses that. */
  flushed(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#flushing.delete(done);
        resolve();
      };
      this.#flushing.add(done);
      this.outgoing.flush();
      this.nc.flush().then(done, done);
    });
  }

  /** Sends what is left and ends. The client's drain() alone misses a connection that ends meanwhile. */
  async drained(): Promise<void> {
    this.outgoing.flush();
    this.nc.drain().catch(() => this.nc.close());
    await this.nc.closed();
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
