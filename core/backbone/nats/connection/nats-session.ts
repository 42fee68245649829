import type { JetStreamClient, JetStreamManager, NatsConnection } from "nats";
import type { Outgoing } from "./outgoing.ts";
import type { RequestInbox } from "./request-inbox.ts";

type SessionDeps = Pick<NatsSession, "nc" | "js" | "jsm" | "lookups" | "outgoing" | "requests" | "newInbox">;

/**
 * One connection. It never reconnects: its subscriptions, pulls and pending requests end with it and are started again on
 * the next session.
 */
export class NatsSession {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** For requests that change nothing. Their timeout is shorter, because a retry is safe. */
  readonly lookups: JetStreamManager;
  readonly outgoing: Pick<Outgoing, "send" | "flush">;
  readonly requests: RequestInbox;
  /** Creates a unique reply subject. */
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

  /** Resolves once the server has received all data, or the connection has ended: the client's flush() ignores the end. */
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

  /** Sends pending data and closes. The client's drain() alone never resolves if the connection ends meanwhile. */
  async drained(): Promise<void> {
    this.outgoing.flush();
    this.nc.drain().catch(() => this.nc.close());
    await this.nc.closed();
  }

  /** Runs `make` once per connection and name, and caches its promise unless it rejects. */
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
