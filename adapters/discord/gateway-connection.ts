import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/clock.ts";
import type { Logger } from "../../core/contract/logger.ts";
import type { Dispatch } from "./contained-strategy.ts";
import { GatewayClient } from "./gateway-client.ts";
import type { ResumableSession } from "./kept-session.ts";
import { pause, pauseAfter } from "./pause.ts";
import { Ready } from "./platform-events.ts";
import type { DiscordTiming } from "./timing.ts";

export interface ConnectionParts {
  readonly token: string;
  readonly apiUrl: string;
  /** As bits. */
  readonly intents: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timing: DiscordTiming;
  /**
   * A session that is new, or that another process had until now. What was said in known places meanwhile has to be
   * fetched. Called before any dispatch of the session.
   */
  began(session: ResumableSession): void;
  dispatched(dispatch: Dispatch): void;
}

/** The connection that messages come in on, from start to stop: resumed, re-identified, and logged in anew if need be. */
export class GatewayConnection {
  readonly #parts: ConnectionParts;
  readonly #stopping = new AbortController();
  #client: GatewayClient | undefined;
  #attempts = 0;
  /** What another process has left, until it is clear whether Discord still knows it. */
  #leftBehind: ResumableSession | undefined;
  #wasTried = false;
  #identifiedAt = Number.NEGATIVE_INFINITY;
  #awaySince: number | undefined;
  #endReason: string | undefined;
  #renewing: Promise<void> = Promise.resolve();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#awaySince = parts.clock.monotonic();
  }

  /** The first login. Its failure is the caller's; later ones are tried again here. */
  async start(leftBehind: ResumableSession | undefined): Promise<void> {
    this.#leftBehind = leftBehind;
    await this.#logIn();
  }

  /** Discord was asked to go on with what was left behind, and has not said what it thinks of it. */
  get isResumeOpen(): boolean {
    return this.#wasTried && this.#leftBehind !== undefined;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#client?.close(), this.#renewing]);
  }

  health(): { ok: true } | { ok: false; reason: string } {
    if (this.#endReason !== undefined) return { ok: false, reason: this.#endReason };
    if (this.#awaySince === undefined || this.#awayMs < this.#parts.timing.reportAfterMs) return { ok: true };
    return { ok: false, reason: `no connection to Discord for ${Math.round(this.#awayMs / 1_000)} s` };
  }

  get #awayMs(): number {
    return this.#awaySince === undefined ? 0 : this.#parts.clock.monotonic() - this.#awaySince;
  }

  async #logIn(): Promise<void> {
    const { token, apiUrl, intents, clock, logger, timing } = this.#parts;
    const { signal } = this.#stopping;
    if (signal.aborted) throw new AppError("stopped", "the channel was stopped while it connected");
    let loggedIn = false;
    const client = new GatewayClient({
      token,
      apiUrl,
      intents,
      clock,
      loginWithinMs: timing.loginWithinMs,
      requestWithinMs: timing.requestWithinMs,
      beforeConnect: (closing) => this.#pauseBefore(closing),
      beforeIdentify: (closing) => this.#takeTurn(closing),
      resumable: () => {
        this.#wasTried = true;
        return this.#leftBehind;
      },
      mayResumeLater: () => this.#awayMs < timing.resumeWithinMs,
      dispatched: (dispatch) => this.#dispatched(dispatch),
      interrupted: () => this.#interrupted(),
      ended: (reason) => {
        this.#endReason = reason;
        logger.error({ reason }, "Discord ended the connection");
        if (loggedIn) this.#renewing = this.#renew(client);
      },
      puzzled: (error) => logger.warn({ error: messageOf(error) }, "the Discord SDK reports an error"),
    });
    this.#client = client;
    try {
      await client.login();
      loggedIn = true;
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /** A new client, however often it takes: somebody may be mending it in the developer portal. */
  async #renew(old: GatewayClient): Promise<void> {
    const { clock, logger, timing } = this.#parts;
    const { signal } = this.#stopping;
    await old.close();
    for (let failures = 1; !signal.aborted; failures++) {
      await pause(clock, pauseAfter(failures, timing), signal);
      try {
        return await this.#logIn();
      } catch (error) {
        if (signal.aborted) return;
        this.#endReason = messageOf(error);
        logger.error({ reason: this.#endReason }, "Discord does not take the bot back yet");
      }
    }
  }

  #dispatched(dispatch: Dispatch): void {
    if (this.#stopping.signal.aborted) return;
    if (dispatch.t === "READY") {
      const ready = Ready.safeParse(dispatch.d).data;
      if (ready === undefined) return;
      const { user, application, session_id: sessionId, resume_gateway_url: resumeUrl } = ready;
      const bot = { botId: user.id, applicationId: application.id };
      this.#begin({ sessionId, resumeUrl, sequence: dispatch.s, intents: this.#parts.intents, ...bot });
      return;
    }
    if (this.#leftBehind !== undefined) this.#begin(this.#leftBehind);
    if (dispatch.t === "RESUMED") this.#restored();
    this.#parts.dispatched(dispatch);
  }

  #begin(session: ResumableSession): void {
    this.#leftBehind = undefined;
    this.#restored();
    this.#parts.began(session);
  }

  #restored(): void {
    this.#attempts = 0;
    this.#awaySince = undefined;
    this.#endReason = undefined;
  }

  #interrupted(): void {
    this.#awaySince ??= this.#parts.clock.monotonic();
  }

  /** The first attempt is made at once, because most interruptions are planned by Discord. */
  async #pauseBefore(closing: AbortSignal): Promise<void> {
    const { clock, timing } = this.#parts;
    const failures = this.#attempts++;
    if (failures > 0) await pause(clock, pauseAfter(failures, timing), closing);
  }

  /** Counted over all clients: the SDK counts for each by itself. */
  async #takeTurn(closing: AbortSignal): Promise<void> {
    const { clock, timing } = this.#parts;
    const waitMs = this.#identifiedAt + timing.identifyEveryMs - clock.monotonic();
    if (waitMs > 0) await pause(clock, waitMs, closing);
    this.#identifiedAt = clock.monotonic();
  }
}
