import { readFile } from "node:fs/promises";
import {
  type ConnectionOptions,
  connect,
  createInbox,
  credsAuthenticator,
  DebugEvents,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
} from "nats";
import { AppError, BackboneUnavailable, messageOf } from "../../../contract/app-error.ts";
import { isRefusal, isWithoutJetStream } from "./nats-fault.ts";
import type { NatsAuth, NatsOptions } from "./nats-options.ts";
import { Outgoing, RequestInbox } from "./outgoing.ts";

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

/** One attempt to connect. Rejects with "bad-configuration" if a retry cannot help, otherwise with "unavailable". */
export const dialNats = async (options: NatsOptions): Promise<NatsSession> => {
  const session = await openSession(options);
  try {
    await checkJetStream(session, options);
  } catch (error) {
    await session.nc.close();
    throw error;
  }
  return session;
};

/** Connects without checking JetStream: a cluster without a quorum would not answer. Rejects as dialNats does. */
export const openSession = async (options: NatsOptions): Promise<NatsSession> => {
  const where = shownServers(options.servers);
  const credentials = await credentialsOf(options.auth);
  const nc = await connect({
    ...credentials,
    servers: [...options.servers],
    name: options.prefix,
    inboxPrefix: options.inboxPrefix,
    reconnect: false,
    timeout: Math.min(options.requestTimeoutMs, MAX_DIAL_MS),
    pingInterval: options.pingMs,
    maxPingOut: 2,
    // Signals reach the listeners of this process through LocalSignals.
    noEcho: true,
    // Capturing a stack for each request costs more than the request.
    noAsyncTraces: true,
  }).catch((error: unknown) => {
    throw isRefusal(error)
      ? new AppError("bad-configuration", `NATS at ${where} refuses the credentials; check user, password or token`, {
          cause: error,
        })
      : new BackboneUnavailable(`cannot reach NATS at ${where}: ${messageOf(error)}`, { cause: error });
  });
  void closeWhenStale(nc);
  const api = { timeout: options.requestTimeoutMs, checkAPI: false };
  const outgoing = new Outgoing(nc);
  const requests = new RequestInbox(nc, outgoing, options);
  return new NatsSession({
    nc,
    outgoing,
    requests,
    js: nc.jetstream(api),
    jsm: await nc.jetstreamManager(api),
    lookups: await nc.jetstreamManager({ ...api, timeout: Math.min(options.requestTimeoutMs, MAX_LOOKUP_MS) }),
    newInbox: () => createInbox(options.inboxPrefix),
  });
};

/** Rejects with "bad-configuration" if the account has no JetStream, and with the client's error if no leader answers. */
export const checkJetStream = async ({ lookups }: NatsSession, { servers }: NatsOptions): Promise<void> => {
  try {
    await lookups.getAccountInfo();
  } catch (error) {
    if (!isWithoutJetStream(error)) throw error;
    throw new AppError(
      "bad-configuration",
      `NATS at ${shownServers(servers)} has no JetStream; start it with "nats-server -js", or enable JetStream for the account`,
      { cause: error },
    );
  }
};

/** Server addresses without credentials. */
export const shownServers = (servers: readonly string[]): string =>
  servers.map((server) => server.replace(/^.*@/, "")).join(", ");

/** The client's own handling waits until the pending data is sent, which never happens on a dead connection. */
const closeWhenStale = async (nc: NatsConnection): Promise<void> => {
  for await (const { type } of nc.status()) if (type === DebugEvents.StaleConnection) await nc.close();
};

const credentialsOf = async (auth: NatsAuth): Promise<ConnectionOptions> => {
  const plain = {
    ...(auth.user !== undefined && { user: auth.user }),
    ...(auth.password !== undefined && { pass: auth.password }),
    ...(auth.token !== undefined && { token: auth.token }),
  };
  if (auth.credentialsFile === undefined) return plain;
  try {
    return { ...plain, authenticator: credsAuthenticator(await readFile(auth.credentialsFile)) };
  } catch (error) {
    throw new AppError("bad-configuration", `NATS credentials file: ${messageOf(error)}`, { cause: error });
  }
};

const MAX_DIAL_MS = 2_000;
/** A stream without a leader does not answer, so a request from before the election is lost and needs a retry. */
const MAX_LOOKUP_MS = 2_000;
