import { AppError, BackboneUnavailable, messageOf } from "../../../contract/app-error.ts";
import type { BackboneHealth } from "../../../contract/ports/backbone.ts";
import type { Timer } from "../../../contract/ports/clock.ts";
import { isBusy, isInterruption, isServerFault, natsFault } from "./nats-fault.ts";
import type { NatsOptions } from "./nats-options.ts";
import { dialNats, type NatsSession, shownServers } from "./nats-session.ts";

type Waiter = { resolve(session: NatsSession): void; reject(error: AppError): void; timer: Timer };
type Check = (session: NatsSession) => Promise<void>;

/** Keeps one session open: dials with backoff until it is connected, and again whenever the connection ends. */
export class NatsConnector {
  readonly #options: NatsOptions;
  readonly #check: Check;
  readonly #dial: typeof dialNats;
  readonly #listeners: ((session: NatsSession) => void)[] = [];
  readonly #interruptionListeners: (() => void)[] = [];
  readonly #downListeners: (() => void)[] = [];
  readonly #waiters = new Set<Waiter>();
  #session: NatsSession | undefined;
  #fault: AppError;
  #stopped = false;
  #pause: { timer: Timer; end(): void } | undefined;

  /** Each new connection must pass the check before it is used. */
  constructor(options: NatsOptions, check: Check, dial = dialNats) {
    this.#options = options;
    this.#check = check;
    this.#dial = dial;
    this.#fault = new BackboneUnavailable(`not connected to NATS yet (${shownServers(options.servers)})`);
  }

  /** Resolves after the first attempt, connected or not. Rejects with "bad-configuration" if a retry cannot help. */
  async open(): Promise<void> {
    await this.#tryOnce();
    if (this.#fault.code === "bad-configuration" && !this.#session) {
      this.#stopped = true;
      throw this.#fault;
    }
    void this.#keepTrying();
  }

  get current(): NatsSession | undefined {
    return this.#session;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  health(): BackboneHealth {
    if (this.#stopped) return { ok: false, reason: "stopped" };
    return this.#session ? { ok: true } : { ok: false, reason: this.#fault.message };
  }

  onSession(listener: (session: NatsSession) => void): void {
    this.#listeners.push(listener);
    if (this.#session) listener(this.#session);
  }

  /** Called when the connection has ended, and after each failed attempt to connect. */
  onDown(listener: () => void): void {
    this.#downListeners.push(listener);
  }

  /** Called when an operation got no answer, or failed because of the server. */
  onInterruption(listener: () => void): void {
    this.#interruptionListeners.push(listener);
  }

  /**
   * Runs the work on the current session and retries it after an interruption, until the deadline. `again`: the server
   * may have executed an earlier attempt.
   */
  async run<R>(
    doing: string,
    work: (session: NatsSession, again: boolean) => Promise<R>,
    timeoutMs = this.#options.operationTimeoutMs,
  ): Promise<R> {
    const { clock } = this.#options;
    const deadline = clock.monotonic() + timeoutMs;
    for (let again = false; ; again = true) {
      const session = this.current ?? (await this.#whenConnected(deadline - clock.monotonic()));
      if (this.#stopped) throw stopped();
      try {
        return await work(session, again);
      } catch (error) {
        if (isServerFault(error)) for (const listener of this.#interruptionListeners) listener();
        if (!isInterruption(error) && !isBusy(error)) throw natsFault(error, doing);
        if (clock.monotonic() >= deadline) {
          throw new BackboneUnavailable(`${doing}: no answer from NATS (${shownServers(this.#options.servers)})`, {
            cause: error,
          });
        }
        // A stream that has no leader yet, or is being created, does not answer.
        if (isBusy(error)) await new Promise<void>((resolve) => clock.after(BUSY_PAUSE_MS, resolve));
        else if (!session.isOpen) this.#lost(session);
      }
    }
  }

  async close(): Promise<void> {
    this.#stopped = true;
    this.#pause?.end();
    for (const waiter of [...this.#waiters]) this.#settle(waiter, () => waiter.reject(stopped()));
    const session = this.#session;
    this.#session = undefined;
    if (!session?.isOpen) return;
    const timeout = this.#options.clock.after(DRAIN_TIMEOUT_MS, () => void session.nc.close());
    await session.drained();
    timeout.cancel();
  }

  #whenConnected(withinMs: number): Promise<NatsSession> {
    if (this.#stopped) return Promise.reject(stopped());
    if (this.#fault.code === "bad-configuration") return Promise.reject(this.#fault);
    return new Promise((resolve, reject) => {
      const timer = this.#options.clock.after(withinMs, () => {
        this.#waiters.delete(waiter);
        reject(this.#fault);
      });
      const waiter: Waiter = { resolve, reject, timer };
      this.#waiters.add(waiter);
    });
  }

  #settle(waiter: Waiter, how: () => void): void {
    waiter.timer.cancel();
    this.#waiters.delete(waiter);
    how();
  }

  async #keepTrying(): Promise<void> {
    for (let failures = 0; !this.#stopped; ) {
      if (this.#session) {
        const session = this.#session;
        const reason = await session.nc.closed();
        if (this.#stopped) return;
        this.#lost(session, reason);
        failures = 0;
      } else if (failures > 0) {
        await this.#wait(Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS) * (0.5 + this.#options.random() / 2));
      }
      if (this.#stopped) return;
      await this.#tryOnce();
      failures++;
    }
  }

  #lost(session: NatsSession, reason?: unknown): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    const why = reason instanceof Error ? `: ${messageOf(reason)}` : "";
    this.#fault = new BackboneUnavailable(`lost the connection to NATS (${shownServers(this.#options.servers)})${why}`);
    this.#options.logger.warn({ reason: this.#fault.message }, "NATS connection lost");
    for (const listener of this.#downListeners) listener();
  }

  async #tryOnce(): Promise<void> {
    let session: NatsSession | undefined;
    try {
      session = await this.#dial(this.#options);
      await this.#check(session);
      if (this.#stopped || !session.isOpen) throw new AppError("unavailable", "the connection ended at once");
    } catch (error) {
      await session?.nc.close();
      this.#note(natsFault(error, "connecting"));
      return;
    }
    this.#session = session;
    this.#options.logger.info({ server: session.nc.getServer(), version: session.nc.info?.version }, "NATS connected");
    for (const waiter of [...this.#waiters]) this.#settle(waiter, () => waiter.resolve(session));
    for (const listener of this.#listeners) listener(session);
  }

  #note(fault: AppError): void {
    if (fault.message !== this.#fault.message)
      this.#options.logger.warn({ reason: fault.message }, "could not connect to NATS");
    this.#fault = fault;
    for (const listener of this.#downListeners) listener();
    if (fault.code !== "bad-configuration") return;
    for (const waiter of [...this.#waiters]) this.#settle(waiter, () => waiter.reject(fault));
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#pause?.timer.cancel();
        this.#pause = undefined;
        resolve();
      };
      this.#pause = { timer: this.#options.clock.after(ms, end), end };
    });
  }
}

const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 1_000;
const BUSY_PAUSE_MS = 100;
const DRAIN_TIMEOUT_MS = 3_000;

const stopped = () => new AppError("stopped", "the NATS backbone was closed");
