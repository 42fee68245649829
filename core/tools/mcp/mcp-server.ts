import { AppError, messageOf } from "../../contract/app-error.ts";
import type { Timer } from "../../contract/ports/clock.ts";
import type { Logger } from "../../contract/ports/logger.ts";
import type { Meter } from "../../contract/ports/telemetry.ts";
import { withinDeadline } from "../../lib/index.ts";
import { secretHider } from "../hide-secrets.ts";
import type { ReadOptions } from "./call-result.ts";
import { type ConnectDeps, type Connection, ServerFailed } from "./client/connection.ts";
import type { McpServerConfig } from "./config.ts";
import { readList } from "./list/read-list.ts";
import type { ServerList } from "./list/server-list.ts";
import type { KnownList } from "./list/stored-lists.ts";

/** The longest time that a turn waits for a list of tools that is not known yet; the start continues. */
const FIRST_LIST_MS = 10_000;
/** A list that was read longer ago is used, and read again in the background. */
const MAX_LIST_AGE_MS = 24 * 3_600_000;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
/** One read for changes that follow each other closely. */
const LIST_CHANGED_MS = 200;

export interface ServerDeps extends Omit<ConnectDeps, "onListChanged" | "ref"> {
  readonly meter: Meter;
  /** Resolves once the programs that an earlier run left behind have ended, because they may hold locks. */
  readonly ready: Promise<void>;
}

interface Failure {
  readonly error: ServerFailed;
  /** Failures since the last call that succeeded. */
  readonly count: number;
  /** Monotonic time before which the server is not started again. */
  readonly until: number;
}

/** One server of one agent: started when it is needed, stopped when it is idle, restarted with growing pauses. */
export class McpServer {
  readonly name: string;
  readonly config: McpServerConfig;
  /** How its results are read. */
  readonly reading: ReadOptions;
  readonly #deps: ServerDeps;
  readonly #logger: Logger;
  readonly #ref: ConnectDeps["ref"];
  readonly #stored: KnownList;
  #list: ServerList | undefined;
  #reading: Promise<void> | undefined;
  /** The session, while it starts or runs. */
  #session: Promise<Connection> | undefined;
  /** Resolves once earlier sessions have ended: their programs may hold locks that the next one needs. */
  #ended: Promise<unknown> = Promise.resolve();
  /** Monotonic time of the last start: turns wait for a slow one together, not one after the other. */
  #startedAt = 0;
  #failure: Failure | undefined;
  #uses = 0;
  #idle: Timer | undefined;
  #isStopped = false;

  constructor(ref: ConnectDeps["ref"], config: McpServerConfig, deps: ServerDeps, stored: KnownList) {
    this.name = ref.server;
    this.#ref = ref;
    this.config = config;
    this.reading = { maxBytes: config.maxResultBytes, hide: secretHider(config) };
    this.#deps = deps;
    this.#logger = deps.logger;
    this.#stored = stored;
  }

  /** The list that is known now. */
  get list(): ServerList | undefined {
    return this.#list;
  }

  /** Why the server cannot be used now, in our own words; undefined if it can be tried. */
  get problem(): string | undefined {
    if (this.#list === undefined) return this.#failure?.error.message ?? "it is still starting";
    return this.#isPausing() ? this.#failure?.error.message : undefined;
  }

  /** Resolves in bounded time, with a list if there is one: in memory, in the store, or from the server. */
  async loadList(): Promise<void> {
    await this.readStoredList();
    const { clock } = this.#deps;
    const isUnknown = this.#list === undefined;
    if (!isUnknown && clock.now() - (this.#list?.readAt ?? 0) < MAX_LIST_AGE_MS) return;
    if (this.#isPausing()) return;
    const started = this.#connected().then(
      () => undefined,
      () => undefined,
    );
    const leftMs = this.#startedAt + FIRST_LIST_MS - clock.monotonic();
    if (isUnknown && leftMs > 0) await withinDeadline(clock, leftMs, started, () => undefined);
  }

  /** Reads the list of an earlier run, once, and starts nothing. */
  async readStoredList(): Promise<void> {
    if (this.#list !== undefined) return;
    this.#reading ??= this.#stored.read().then((list) => {
      this.#list ??= list;
    });
    await this.#reading;
  }

  /** Runs work with a session. Rejects with ServerFailed if there is none. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    this.#idle?.cancel();
    this.#uses++;
    try {
      if (this.#isPausing()) throw this.#failure?.error;
      const result = await this.#inSession(work);
      this.#failure = undefined;
      return result;
    } finally {
      this.#uses--;
      this.#stopWhenIdle();
    }
  }

  /** A remote server that was restarted does not know the session: it has not run the request, so it gets it again. */
  async #inSession<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#connected();
    try {
      return await work(connection);
    } catch (error) {
      if (!(error instanceof ServerFailed) || error.code !== "not-found") throw error;
      await this.#disconnect();
      return work(await this.#connected());
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#idle?.cancel();
    await this.#disconnect();
  }

  #isPausing(): boolean {
    return this.#deps.clock.monotonic() < (this.#failure?.until ?? 0);
  }

  #connected(): Promise<Connection> {
    if (this.#isStopped)
      return Promise.reject(new ServerFailed("stopped", "Mooring is stopping", "Mooring is stopping"));
    this.#session ??= this.#start();
    return this.#session;
  }

  async #start(): Promise<Connection> {
    const { clock, meter } = this.#deps;
    const { startTimeoutMs } = this.config;
    const labels = { agent: this.#ref.agent, server: this.name };
    const limit = new AbortController();
    this.#startedAt = clock.monotonic();
    const late = new AppError("unavailable", `it did not start within ${startTimeoutMs} ms`);
    const timer = clock.after(startTimeoutMs, () => limit.abort(late));
    try {
      await Promise.all([this.#deps.ready, this.#ended]);
      // The SDK is loaded by the first server that starts, not by the process.
      const { connect } = await import("./client/connect.ts");
      const deps = { ...this.#deps, ref: this.#ref, onListChanged: () => this.#refreshSoon() };
      const connection = await connect(this.config, deps, { signal: limit.signal });
      await this.#readList(connection, limit.signal).catch(async (error) => {
        await connection.close();
        throw limit.signal.aborted ? limit.signal.reason : error;
      });
      void connection.closed.then((reason) => this.#closed(connection, reason));
      meter.count("mcp_server_starts_total", { ...labels, outcome: "started" });
      meter.gauge("mcp_server_running", 1, labels);
      this.#logger.info({}, "tool server started");
      this.#stopWhenIdle();
      return connection;
    } catch (error) {
      this.#session = undefined;
      meter.count("mcp_server_starts_total", { ...labels, outcome: "failed" });
      this.#failed(asFailure(error));
      throw this.#failure?.error;
    } finally {
      timer.cancel();
    }
  }

  async #readList(connection: Connection, signal: AbortSignal): Promise<void> {
    const list = await readList(connection, { signal, clock: this.#deps.clock, logger: this.#logger });
    const isSame = this.#list !== undefined && contentOf(this.#list) === contentOf(list);
    // The same object means to others that nothing has changed.
    if (isSame && this.#list !== undefined) Object.assign(this.#list, { readAt: list.readAt });
    else this.#list = list;
    await this.#stored.write(list);
  }

  #refresh: Timer | undefined;

  #refreshSoon(): void {
    this.#refresh ??= this.#deps.clock.after(LIST_CHANGED_MS, () => {
      this.#refresh = undefined;
      void this.#session
        ?.then((connection) => this.#readList(connection, AbortSignal.timeout(this.config.timeoutMs)))
        .catch((error) => this.#logger.warn({ error: messageOf(error) }, "could not read the changed list of tools"));
    });
  }

  #failed(error: ServerFailed): void {
    const count = (this.#failure?.count ?? 0) + 1;
    // The first retry is immediate: a model often repeats a call at once.
    const pauseMs = count === 1 ? 0 : Math.min(FIRST_BACKOFF_MS * 2 ** (count - 2), MAX_BACKOFF_MS);
    this.#failure = { error, count, until: this.#deps.clock.monotonic() + pauseMs };
    this.#logger.warn({ error: error.detail, failures: count, pauseMs }, "tool server failed");
  }

  #closed(connection: Connection, reason: string): void {
    this.#deps.meter.gauge("mcp_server_running", 0, { agent: this.#ref.agent, server: this.name });
    const closed = (current: Connection) => {
      if (current !== connection) return;
      this.#session = undefined;
      this.#failed(new ServerFailed("unavailable", reason, reason));
    };
    // The next session may be starting already; its failure is reported to the calls that wait for it.
    void this.#session?.then(closed, () => undefined);
  }

  #stopWhenIdle(): void {
    this.#idle?.cancel();
    if (this.#uses > 0 || this.#isStopped) return;
    this.#idle = this.#deps.clock.after(this.config.idleMs, () => {
      if (this.#uses > 0) return;
      this.#logger.debug({}, "tool server is idle, stopping it");
      void this.#disconnect();
    });
  }

  async #disconnect(): Promise<void> {
    const ended = this.#session?.then(
      (connection) => connection.close(),
      () => undefined,
    );
    this.#session = undefined;
    this.#refresh?.cancel();
    this.#ended = Promise.all([this.#ended, ended]);
    await this.#ended;
  }
}

const contentOf = ({ readAt: _, ...list }: ServerList): string => JSON.stringify(list);

const asFailure = (error: unknown): ServerFailed =>
  error instanceof ServerFailed
    ? error
    : new ServerFailed(error instanceof AppError ? error.code : "unavailable", messageOf(error), messageOf(error));
