import { messageOf } from "../../core/contract/app-error.ts";
import type { Clock, Timer } from "../../core/contract/clock.ts";
import type { Logger } from "../../core/contract/logger.ts";
import { Unwritable } from "../../core/contract/write-availability.ts";
import { explain, slackErrorOf } from "./failure.ts";
import { TRY_AGAIN } from "./http-receiver.ts";
import type { Intake } from "./intake.ts";
import type { SlackLimits } from "./limits.ts";
import { readPayload } from "./read-payload.ts";
import type { Envelope } from "./socket-connection.ts";
import { SocketConnection } from "./socket-connection.ts";
import type { WebApiOptions } from "./web-api.ts";

export interface SocketReceiverParts {
  readonly appToken: string;
  readonly api: WebApiOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: SlackLimits;
  readonly intake: Intake;
}

/** No attempt can succeed before a person has done something. */
const NEEDS_A_PERSON: Readonly<Record<string, string>> = {
  invalid_auth: "appToken is not valid: make a new app-level token",
  not_authed: "appToken is not valid: make a new app-level token",
  token_revoked: "appToken was revoked: make a new app-level token",
  account_inactive: "appToken was revoked: make a new app-level token",
  not_allowed_token_type: "appToken must be an app-level token (xapp-)",
  missing_scope: "appToken lacks the scope connections:write",
  link_disabled: "Socket Mode is switched off for the app: switch it on",
  socket_mode_disabled: "Socket Mode is switched off for the app: switch it on",
};

/** Keeps one socket to Slack open. Slack itself ends each one after some hours, and asks for the next. */
export class SocketReceiver {
  readonly #parts: SocketReceiverParts;
  readonly #underWay = new Set<Promise<void>>();
  #connection: SocketConnection | undefined;
  #reconnect: Timer | undefined;
  #attempting: Promise<void> | undefined;
  /** Attempts and short-lived connections since the last steady one. */
  #failures = 0;
  #openedAt = 0;
  #isStopped = false;
  /** Why nothing can arrive, if so. */
  problem: string | undefined;

  constructor(parts: SocketReceiverParts) {
    this.#parts = parts;
  }

  /** The first connection. Rejects if there is none; the later ones come by themselves. */
  start(): Promise<void> {
    return this.#connect();
  }

  /** Nothing new comes in; what came in is stored and acknowledged first. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#reconnect?.cancel();
    await Promise.allSettled([...this.#underWay]);
    await this.#attempting?.catch(() => undefined);
    await this.#connection?.close();
  }

  async #connect(): Promise<void> {
    const { appToken, api, clock, logger, limits } = this.#parts;
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
    const { clock, logger } = this.#parts;
    this.problem = "the socket to Slack is closed; it is being opened again";
    logger.info({}, "Slack closed the socket");
    if (this.#isStopped) return;
    if (clock.monotonic() - this.#openedAt >= STEADY_MS) this.#failures = 0;
    this.#tryAgainIn(this.#failures === 0 ? 0 : this.#pauseMs());
    this.#failures++;
  }

  #pauseMs(): number {
    const { reconnectMs, longestReconnectMs } = this.#parts.limits;
    return Math.min(reconnectMs * 2 ** Math.min(this.#failures, 20), longestReconnectMs);
  }

  #tryAgainIn(pauseMs: number): void {
    this.#reconnect = this.#parts.clock.after(pauseMs, () => {
      this.#attempting = this.#attempt();
    });
  }

  async #attempt(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      if (this.#isStopped) return;
      const { logger, limits } = this.#parts;
      const pauseMs = needsAPerson(error) === undefined ? this.#pauseMs() : limits.longestReconnectMs;
      this.#failures++;
      logger.warn({ error: this.problem, retryInMs: pauseMs }, "could not connect to Slack's socket");
      this.#tryAgainIn(pauseMs);
    }
  }

  #receive(envelope: Envelope): void {
    // Not acknowledged: Slack sends it to whoever connects next.
    if (this.#isStopped) return;
    const handling = this.#handle(envelope).catch((error: unknown) =>
      this.#parts.logger[error instanceof Unwritable ? "debug" : "warn"](
        { error: messageOf(error) },
        "could not store or acknowledge what Slack sent",
      ),
    );
    this.#underWay.add(handling);
    void handling.finally(() => this.#underWay.delete(handling));
  }

  async #handle({ body, acknowledge }: Envelope): Promise<void> {
    const payload = readPayload(body);
    const isCommand = payload.kind === "command";
    try {
      const taken = await this.#parts.intake.take(payload);
      await acknowledge(isCommand && taken.answer === "refused" ? onlyToThem(taken.why) : undefined);
    } catch (error) {
      // Slack repeats events, but never commands.
      if (isCommand) await acknowledge(onlyToThem(TRY_AGAIN));
      throw error;
    }
  }
}

/** A connection that lived this long counts as a good one. */
const STEADY_MS = 10_000;

const onlyToThem = (text: string) => ({ response_type: "ephemeral", text });

const needsAPerson = (error: unknown): string | undefined => NEEDS_A_PERSON[slackErrorOf(error) ?? ""];

const problemOf = (error: unknown): string =>
  needsAPerson(error) ?? `the socket to Slack cannot be opened: ${explain(error)}`;
