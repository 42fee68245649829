import { Client, DefaultRestOptions } from "discord.js";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/clock.ts";
import { closeReason } from "./close-reason.ts";
import type { Dispatch } from "./contained-strategy.ts";
import { ContainedStrategy } from "./contained-strategy.ts";
import type { ResumableSession } from "./kept-session.ts";
import { pause } from "./pause.ts";

export interface ClientParts {
  readonly token: string;
  readonly apiUrl: string;
  /** As bits. */
  readonly intents: number;
  readonly clock: Clock;
  readonly loginWithinMs: number;
  readonly requestWithinMs: number;
  beforeConnect(signal: AbortSignal): Promise<void>;
  /** Waits until Discord takes another IDENTIFY. */
  beforeIdentify(signal: AbortSignal): Promise<void>;
  resumable(): ResumableSession | undefined;
  mayResumeLater(): boolean;
  dispatched(dispatch: Dispatch): void;
  /** The connection is away, and is being restored. */
  interrupted(): void;
  /** This client will not connect again. */
  ended(reason: string): void;
  /** Something that only a developer can do something about. */
  puzzled(error: unknown): void;
}

/** One login: a client that failed once cannot be closed after a second one, so each attempt gets its own. */
export class GatewayClient {
  readonly #parts: ClientParts;
  readonly #client: Client;
  readonly #closing = new AbortController();
  #strategy: ContainedStrategy | undefined;
  #endReason: string | undefined;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    const { signal } = this.#closing;
    this.#client = new Client({
      intents: parts.intents,
      // Nothing waits for the client to know its servers.
      waitGuildTimeout: 0,
      rest: {
        api: parts.apiUrl,
        retries: 0,
        timeout: parts.requestWithinMs,
        makeRequest: (url, init) =>
          DefaultRestOptions.makeRequest(url, { ...init, signal: joined(init.signal, signal) }),
      },
      ws: {
        buildStrategy: (manager) => {
          this.#strategy = new ContainedStrategy(manager, {
            dispatched: parts.dispatched,
            broke: (error, fatal) =>
              fatal ? this.#end(`the connection broke: ${messageOf(error)}`) : parts.puzzled(error),
            beforeConnect: () => parts.beforeConnect(signal),
            resumable: parts.resumable,
            mayResumeLater: parts.mayResumeLater,
          });
          return this.#strategy;
        },
        buildIdentifyThrottler: async () => ({ waitForIdentify: () => parts.beforeIdentify(signal) }),
      },
    });
    this.#client.on("error", (error) => parts.puzzled(error));
    this.#client.on("shardError", (error) => parts.puzzled(error));
    this.#client.on("shardReconnecting", () => signal.aborted || parts.interrupted());
    this.#client.on("shardDisconnect", ({ code }) => this.#end(closeReason(code)));
  }

  /** Resolves once messages arrive. Rejects with the reason, also if it is closed or takes too long. */
  async login(): Promise<void> {
    const { clock, loginWithinMs, token } = this.#parts;
    const { signal } = this.#closing;
    // It settles neither if it is closed nor if Discord stays silent.
    const login = this.#client.login(token).then(
      () => "done" as const,
      (error: unknown) => ({ error }),
    );
    const gaveUp = new AbortController();
    const late = pause(clock, loginWithinMs, AbortSignal.any([signal, gaveUp.signal])).then(() => "late" as const);
    const outcome = await Promise.race([login, late]);
    gaveUp.abort();
    if (outcome === "done") return;
    if (signal.aborted) throw new AppError("stopped", "the channel was stopped while it connected");
    if (this.#endReason !== undefined) throw new AppError("unavailable", this.#endReason);
    if (outcome === "late") throw new AppError("unavailable", `Discord did not answer within ${loginWithinMs} ms`);
    throw new AppError("unavailable", explain(outcome.error), { cause: outcome.error });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#strategy?.close();
    await this.#client.destroy();
  }

  #end(reason: string): void {
    if (this.#closing.signal.aborted || this.#endReason !== undefined) return;
    this.#endReason = reason;
    this.#parts.ended(reason);
  }
}

const explain = (error: unknown): string =>
  error instanceof Error && "code" in error && error.code === "TokenInvalid"
    ? closeReason(4004)
    : `Discord cannot be reached: ${messageOf(error)}`;

const joined = (a: AbortSignal | null | undefined, b: AbortSignal): AbortSignal => (a ? AbortSignal.any([a, b]) : b);
