import { messageOf } from "../../../core/contract/app-error.ts";
import { Unwritable } from "../../../core/contract/ports/backbone.ts";
import type { Clock, Timer } from "../../../core/contract/ports/clock.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import { explain, slackErrorOf } from "../failure.ts";
import { TRY_AGAIN } from "../http-receiver.ts";
import type { Intake } from "../intake.ts";
import { readPayload } from "../payload.ts";
import type { SlackLimits, WebApiOptions } from "../web-api.ts";
import { type Envelope, SocketConnection } from "./socket-connection.ts";

export interface SocketReceiverDeps {
  readonly appToken: string;
  readonly api: WebApiOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: SlackLimits;
  readonly intake: Intake;
}

/** Errors that retries cannot resolve, with the remedy. */
const PERMANENT_ERRORS: Readonly<Record<string, string>> = {
  invalid_auth: "appToken is not valid: make a new app-level token",
  not_authed: "appToken is not valid: make a new app-level token",
  token_revoked: "appToken was revoked: make a new app-level token",
  account_inactive: "appToken was revoked: make a new app-level token",
  not_allowed_token_type: "appToken must be an app-level token (xapp-)",
  missing_scope: "appToken lacks the scope connections:write",
  link_disabled: "Socket Mode is switched off for the app: switch it on",
  socket_mode_disabled: "Socket Mode is switched off for the app: switch it on",
};

/** Keeps one socket to Slack open. Slack closes each one after some hours and expects a reconnect. */
export class SocketReceiver {
  readonly #deps: SocketReceiverDeps;
  readonly #inFlight = new Set<Promise<void>>();
  #connection: SocketConnection | undefined;
  #reconnect: Timer | undefined;
  #attempting: Promise<void> | undefined;
  /** Failed attempts and short-lived connections since the last steady one. */
  #failures = 0;
  #openedAt = 0;
  #isStopped = false;
  /** Why no events can arrive; undefined while connected. */
  problem: string | undefined;

  constructor(deps: SocketReceiverDeps) {
    this.#deps = deps;
  }

  /** Opens the first connection and rejects if that fails. Reconnects happen by themselves. */
  start(): Promise<void> {
    return this.#connect();
  }

  /** Stops intake, then waits until received events are stored and acknowledged. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#reconnect?.cancel();
    await Promise.allSettled([...this.#inFlight]);
    await this.#attempting?.catch(() => undefined);
    await this.#connection?.close();
  }

  async #connect(): Promise<void> {
    const { appToken, api, clock, logger, limits } = this.#deps;
    const connection = new SocketConnection({
      appToken,
      api,
      clock,
      logger,
      helloMs: limits.helloMs,
      received: (envelope) => this.#receive(envelope),
      closed: () => this.#closed(),
    });
    this.#connection = connection;
    try {
      await connection.open();
    } catch (error) {
      this.problem = problemOf(error);
      throw error;
    }
    this.problem = undefined;
    this.#openedAt = clock.monotonic();
    if (this.#isStopped) return connection.close();
    logger.info({}, "connected to Slack's socket");
  }

  #closed(): void {
    const { clock, logger } = this.#deps;
    this.problem = "the socket to Slack is closed; reconnecting";
    logger.info({}, "Slack closed the socket");
    if (this.#isStopped) return;
    if (clock.monotonic() - this.#openedAt >= STEADY_MS) this.#failures = 0;
    this.#reconnectIn(this.#failures === 0 ? 0 : this.#pauseMs());
    this.#failures++;
  }

  #pauseMs(): number {
    const { reconnectMs, maxReconnectMs } = this.#deps.limits;
    return Math.min(reconnectMs * 2 ** Math.min(this.#failures, 20), maxReconnectMs);
  }

  #reconnectIn(pauseMs: number): void {
    this.#reconnect = this.#deps.clock.after(pauseMs, () => {
      this.#attempting = this.#attempt();
    });
  }

  async #attempt(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      if (this.#isStopped) return;
      const { logger, limits } = this.#deps;
      const pauseMs = permanentProblem(error) === undefined ? this.#pauseMs() : limits.maxReconnectMs;
      this.#failures++;
      logger.warn({ error: this.problem, retryInMs: pauseMs }, "could not connect to Slack's socket, retrying");
      this.#reconnectIn(pauseMs);
    }
  }

  #receive(envelope: Envelope): void {
    // Not acknowledged, so Slack redelivers it on the next connection.
    if (this.#isStopped) return;
    const handling = this.#handle(envelope).catch((error: unknown) =>
      this.#deps.logger[error instanceof Unwritable ? "debug" : "warn"](
        { error: messageOf(error) },
        "could not store or acknowledge the Slack event",
      ),
    );
    this.#inFlight.add(handling);
    void handling.finally(() => this.#inFlight.delete(handling));
  }

  async #handle({ body, acknowledge }: Envelope): Promise<void> {
    const payload = readPayload(body);
    const isCommand = payload.kind === "command";
    try {
      const taken = await this.#deps.intake.take(payload);
      await acknowledge(isCommand && taken.answer === "refused" ? ephemeral(taken.why) : undefined);
    } catch (error) {
      // Slack retries events, but never commands.
      if (isCommand) await acknowledge(ephemeral(TRY_AGAIN));
      throw error;
    }
  }
}

/** A connection that lasts this long resets the reconnect delay. */
const STEADY_MS = 10_000;

const ephemeral = (text: string) => ({ response_type: "ephemeral", text });

const permanentProblem = (error: unknown): string | undefined => PERMANENT_ERRORS[slackErrorOf(error) ?? ""];

const problemOf = (error: unknown): string =>
  permanentProblem(error) ?? `the socket to Slack cannot be opened: ${explain(error)}`;
