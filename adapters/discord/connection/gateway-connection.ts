import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import { pause } from "../../contract/pause.ts";
import type { DiscordTiming } from "../api/timing.ts";
import { pauseAfter } from "../api/timing.ts";
import { Ready } from "../payload.ts";
import type { Dispatch } from "./contained-strategy.ts";
import { GatewayClient } from "./gateway-client.ts";
import type { ResumableSession } from "./stored-session.ts";

export interface ConnectionDeps {
  readonly token: string;
  readonly apiUrl: string;
  /** Bit field of Discord's gateway intents. */
  readonly intents: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timing: DiscordTiming;
  /**
   * Called for a session that is new or that another process had until now, before any dispatch of it. The caller
   * fetches the messages of known conversations since then.
   */
  began(session: ResumableSession): void;
  dispatched(dispatch: Dispatch): void;
}

/** The gateway connection from start to stop. It resumes, identifies again, or logs in again as necessary. */
export class GatewayConnection {
  readonly #deps: ConnectionDeps;
  readonly #stopping = new AbortController();
  #client: GatewayClient | undefined;
  #attempts = 0;
  /** The session of an earlier process, until Discord resumes or refuses it. */
  #earlierSession: ResumableSession | undefined;
  #resumeTried = false;
  #identifiedAt = Number.NEGATIVE_INFINITY;
  #disconnectedSince: number | undefined;
  #endReason: string | undefined;
  #renewing: Promise<void> = Promise.resolve();

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    this.#disconnectedSince = deps.clock.monotonic();
  }

  /** The first login. The caller handles its failure; this class retries later ones. */
  async start(earlierSession: ResumableSession | undefined): Promise<void> {
    this.#earlierSession = earlierSession;
    await this.#logIn();
  }

  /** A resume of the earlier session is pending. */
  get isResumePending(): boolean {
    return this.#resumeTried && this.#earlierSession !== undefined;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#client?.close(), this.#renewing]);
  }

  health(): { ok: true } | { ok: false; reason: string } {
    if (this.#endReason !== undefined) return { ok: false, reason: this.#endReason };
    if (this.#disconnectedSince === undefined || this.#disconnectedMs < this.#deps.timing.reportAfterMs)
      return { ok: true };
    return { ok: false, reason: `no connection to Discord for ${Math.round(this.#disconnectedMs / 1_000)} s` };
  }

  get #disconnectedMs(): number {
    return this.#disconnectedSince === undefined ? 0 : this.#deps.clock.monotonic() - this.#disconnectedSince;
  }

  async #logIn(): Promise<void> {
    const { token, apiUrl, intents, clock, logger, timing } = this.#deps;
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
        this.#resumeTried = true;
        return this.#earlierSession;
      },
      mayResumeLater: () => this.#disconnectedMs < timing.resumeWithinMs,
      dispatched: (dispatch) => this.#dispatched(dispatch),
      interrupted: () => this.#interrupted(),
      ended: (reason) => {
        this.#endReason = reason;
        logger.error({ reason }, "Discord ended the connection");
        if (loggedIn) this.#renewing = this.#renew(client);
      },
      sdkFailed: (error) => logger.warn({ error: messageOf(error) }, "Discord SDK reported an error"),
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

  /** Retries with a new client until it succeeds: an operator may be fixing the bot in the developer portal. */
  async #renew(old: GatewayClient): Promise<void> {
    const { clock, logger, timing } = this.#deps;
    const { signal } = this.#stopping;
    await old.close();
    for (let failures = 1; !signal.aborted; failures++) {
      await pause(clock, pauseAfter(failures, timing), signal);
      try {
        return await this.#logIn();
      } catch (error) {
        if (signal.aborted) return;
        this.#endReason = messageOf(error);
        logger.error({ reason: this.#endReason }, "could not log in to Discord again, retrying");
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
      this.#begin({ sessionId, resumeUrl, sequence: dispatch.s, intents: this.#deps.intents, ...bot });
      return;
    }
    if (this.#earlierSession !== undefined) this.#begin(this.#earlierSession);
    if (dispatch.t === "RESUMED") this.#restored();
    this.#deps.dispatched(dispatch);
  }

  #begin(session: ResumableSession): void {
    this.#earlierSession = undefined;
    this.#restored();
    this.#deps.began(session);
  }

  #restored(): void {
    this.#attempts = 0;
    this.#disconnectedSince = undefined;
    this.#endReason = undefined;
  }

  #interrupted(): void {
    this.#disconnectedSince ??= this.#deps.clock.monotonic();
  }

  /** The first attempt is immediate, because Discord plans most interruptions. */
  async #pauseBefore(closing: AbortSignal): Promise<void> {
    const { clock, timing } = this.#deps;
    const failures = this.#attempts++;
    if (failures > 0) await pause(clock, pauseAfter(failures, timing), closing);
  }

  /** Spaces IDENTIFY calls across clients; the SDK does so per client only. */
  async #takeTurn(closing: AbortSignal): Promise<void> {
    const { clock, timing } = this.#deps;
    const waitMs = this.#identifiedAt + timing.identifyEveryMs - clock.monotonic();
    if (waitMs > 0) await pause(clock, waitMs, closing);
    this.#identifiedAt = clock.monotonic();
  }
}
