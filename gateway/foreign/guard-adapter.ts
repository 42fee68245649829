import type { ClientSocket, Webhook } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter, Inbox } from "../../adapters/contract/channel-adapter.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { type ForeignChannel, runForeign, runOwn } from "./foreign-code.ts";

type Method = (...args: unknown[]) => unknown;

interface GuardDeps {
  readonly module: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** An uncaught error degrades the channel for this long: the adapter may work again, or may not. */
const DEGRADED_MS = 5 * 60_000;

/**
 * Lets an adapter from outside fail without an effect on other channels. Its calls run in a context by which uncaught
 * errors are attributed to it, and those that must not throw return a failure instead. Its abilities stay the same.
 */
export class GuardedAdapter implements ForeignChannel {
  readonly channel: string;
  readonly module: string;
  readonly #deps: GuardDeps;
  readonly #methods = new Map<string, Method>();
  #uncaught: { readonly reason: string; readonly at: number } | undefined;

  constructor(channel: string, deps: GuardDeps) {
    this.channel = channel;
    this.module = deps.module;
    this.#deps = deps;
  }

  onUncaught(error: unknown): void {
    const { clock, logger } = this.#deps;
    const reason = messageOf(error);
    this.#uncaught = { reason: `uncaught error of the adapter: ${reason}`, at: clock.monotonic() };
    logger.error({ channel: this.channel, error: reason }, "adapter bug: uncaught error");
  }

  wrap(adapter: ChannelAdapter): ChannelAdapter {
    const own = adapter as unknown as Record<string, unknown>;
    const special: Record<string, Method> = {
      start: (inbox) => this.#run(() => adapter.start(outside(inbox as Inbox))),
      health: () => this.#health(own),
      admit: (request) =>
        this.#or(() => call(own, "admit", request), {
          status: 503,
          message: "This channel does not work at the moment.",
        }),
      connect: (socket, ...rest) => this.#connect(own, socket as ClientSocket, rest),
      limitsIn: (conversation) => this.#or(() => call(own, "limitsIn", conversation), {}),
      reportMovesTo: (report) => this.#or(() => call(own, "reportMovesTo", report), undefined),
      onSignal: (signal) => this.#or(() => call(own, "onSignal", signal), undefined),
      unreachable: () => this.#or(() => call(own, "unreachable"), []),
    };
    // The target is another object, because a Proxy of a frozen adapter could not replace its methods.
    return new Proxy({} as ChannelAdapter, {
      // Every guarded adapter reports health, because it may have thrown outside of a call.
      has: (_, name) => name === "health" || Reflect.has(adapter, name),
      get: (_, name) => {
        const value: unknown = Reflect.get(adapter, name, adapter);
        if (name === "webhooks") return this.#webhooks(value as readonly Webhook[]);
        if (typeof name !== "string" || (typeof value !== "function" && name !== "health")) return value;
        const known = this.#methods.get(name) ?? special[name] ?? this.#method(own, name);
        this.#methods.set(name, known);
        return known;
      },
    });
  }

  #webhooks(webhooks: readonly Webhook[]): readonly Webhook[] {
    return webhooks.map((webhook) => ({
      method: webhook.method,
      path: webhook.path,
      maxBodyBytes: webhook.maxBodyBytes,
      handle: (request) => this.#run(async () => webhook.handle(request)),
      ...(webhook.refuse && { refuse: (head) => this.#run(async () => webhook.refuse?.(head)) }),
    }));
  }

  /** Other methods usually return a promise; a throw becomes its rejection. */
  #method(own: Record<string, unknown>, name: string): Method {
    return (...args) => {
      try {
        return this.#run(() => call(own, name, ...args));
      } catch (error) {
        return Promise.reject(error);
      }
    };
  }

  #run<T>(work: () => T): T {
    return runForeign(this, work);
  }

  /** Logs a throw and returns the fallback. */
  #or<T>(work: () => T, otherwise: T): T {
    try {
      return this.#run(work);
    } catch (error) {
      this.onUncaught(error);
      return otherwise;
    }
  }

  #health(own: Record<string, unknown>): { ok: boolean; reason?: string } {
    const { clock } = this.#deps;
    const uncaught = this.#uncaught;
    if (uncaught !== undefined && clock.monotonic() - uncaught.at < DEGRADED_MS)
      return { ok: false, reason: uncaught.reason };
    if (typeof own.health !== "function") return { ok: true };
    try {
      const health: unknown = this.#run(() => call(own, "health"));
      if (isHealth(health)) return health;
      return { ok: false, reason: "the adapter reports its health in an unknown form" };
    } catch (error) {
      return { ok: false, reason: `the adapter could not report its health: ${messageOf(error)}` };
    }
  }

  /** A listener that throws closes its socket. */
  #connect(own: Record<string, unknown>, socket: ClientSocket, rest: readonly unknown[]): void {
    const failed = (error: unknown) => {
      this.onUncaught(error);
      socket.terminate();
    };
    const guarded = new Proxy(socket, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (name !== "on") return value.bind(target);
        return (event: "close", listener: Method) =>
          target.on(event, (...args: unknown[]) => {
            try {
              this.#run(() => listener.apply(guarded, args));
            } catch (error) {
              failed(error);
            }
          });
      },
    });
    try {
      this.#run(() => call(own, "connect", guarded, ...rest));
    } catch (error) {
      failed(error);
    }
  }
}

const call = (own: Record<string, unknown>, name: string, ...args: unknown[]): unknown =>
  Reflect.apply(own[name] as Method, own, args);

const isHealth = (value: unknown): value is { ok: boolean; reason?: string } =>
  typeof value === "object" &&
  value !== null &&
  "ok" in value &&
  (value.ok === true || (value.ok === false && "reason" in value && typeof value.reason === "string"));

/** The inbox is code of Mooring. */
const outside = (inbox: Inbox): Inbox => ({ accept: (message) => runOwn(() => inbox.accept(message)) });
