import { Client, DefaultRestOptions } from "discord.js";
import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { pause } from "../../contract/pause.ts";
import type { Dispatch } from "./contained-strategy.ts";
import { ContainedStrategy } from "./contained-strategy.ts";
import type { ResumableSession } from "./stored-session.ts";

export interface ClientDeps {
  readonly token: string;
  readonly apiUrl: string;
  /** Bit field of Discord's gateway intents. */
  readonly intents: number;
  readonly clock: Clock;
  readonly loginWithinMs: number;
  readonly requestWithinMs: number;
  beforeConnect(signal: AbortSignal): Promise<void>;
  /** Waits until Discord accepts another IDENTIFY. */
  beforeIdentify(signal: AbortSignal): Promise<void>;
  resumable(): ResumableSession | undefined;
  mayResumeLater(): boolean;
  dispatched(dispatch: Dispatch): void;
  /** Called when the connection is lost and the SDK reconnects. */
  interrupted(): void;
  /** Called when this client will not reconnect. */
  ended(reason: string): void;
  /** Called for an SDK error that needs a developer. */
  sdkFailed(error: unknown): void;
}

/** One login. The SDK's client cannot be closed after a second login, so each attempt uses a new one. */
export class GatewayClient {
  readonly #deps: ClientDeps;
  readonly #client: Client;
  readonly #closing = new AbortController();
  #strategy: ContainedStrategy | undefined;
  #endReason: string | undefined;

  constructor(deps: ClientDeps) {
    this.#deps = deps;
    const { signal } = this.#closing;
    this.#client = new Client({
      intents: deps.intents,
      // No code depends on the client's list of servers.
      waitGuildTimeout: 0,
      rest: {
        api: deps.apiUrl,
        retries: 0,
        timeout: deps.requestWithinMs,
        makeRequest: (url, init) =>
          DefaultRestOptions.makeRequest(url, { ...init, signal: joined(init.signal, signal) }),
      },
      ws: {
        buildStrategy: (manager) => {
          this.#strategy = new ContainedStrategy(manager, {
            dispatched: deps.dispatched,
            broke: (error, fatal) =>
              fatal ? this.#end(`the connection broke: ${messageOf(error)}`) : deps.sdkFailed(error),
            beforeConnect: () => deps.beforeConnect(signal),
            resumable: deps.resumable,
            mayResumeLater: deps.mayResumeLater,
          });
          return this.#strategy;
        },
        buildIdentifyThrottler: async () => ({ waitForIdentify: () => deps.beforeIdentify(signal) }),
      },
    });
    this.#client.on("error", (error) => deps.sdkFailed(error));
    this.#client.on("shardError", (error) => deps.sdkFailed(error));
    this.#client.on("shardReconnecting", () => signal.aborted || deps.interrupted());
    this.#client.on("shardDisconnect", ({ code }) => this.#end(closeReason(code)));
  }

  /** Resolves once messages can arrive. Rejects with the reason, also on close or timeout. */
  async login(): Promise<void> {
    const { clock, loginWithinMs, token } = this.#deps;
    const { signal } = this.#closing;
    // The SDK's promise settles neither on close nor if Discord stays silent.
    const login = this.#client.login(token).then(
      () => "done" as const,
      (error: unknown) => ({ error }),
    );
    const settled = new AbortController();
    const late = pause(clock, loginWithinMs, AbortSignal.any([signal, settled.signal])).then(() => "late" as const);
    const outcome = await Promise.race([login, late]);
    settled.abort();
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
    this.#deps.ended(reason);
  }
}

const explain = (error: unknown): string =>
  error instanceof Error && "code" in error && error.code === "TokenInvalid"
    ? closeReason(4004)
    : `Discord cannot be reached: ${messageOf(error)}`;

const joined = (a: AbortSignal | null | undefined, b: AbortSignal): AbortSignal => (a ? AbortSignal.any([a, b]) : b);

/** The reason why Discord permanently ended a connection, with the remedy. */
const closeReason = (code: number): string => `${REASONS[code] ?? "Discord closed the connection"} (${code})`;

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
const REASONS: Readonly<Record<number, string>> = {
  4004: "Discord refuses the bot token: reset it in the developer portal (Bot, Reset Token) and set botToken",
  4010: "Discord does not know this shard: report it as a bug of Mooring",
  4011: "the bot is in too many servers for one connection (the maximum is 2,500): leave some, or use a second bot",
  4012: "Discord no longer speaks this version of its API: update Mooring",
  4013: "Discord does not know these intents: update Mooring",
  4014:
    "Discord does not allow the intents: switch on the Message Content Intent in the developer portal (Bot), " +
    "or set access.mentionOnly to true",
};
