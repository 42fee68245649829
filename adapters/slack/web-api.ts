import { LogLevel, webApi } from "@slack/bolt";
import { AppError } from "../../core/contract/app-error.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { textFetch } from "../contract/text-fetch.ts";

/** Logs the SDK's lines at debug level: its failures also arrive as errors, and its own debug lines hold message text. */
export const sdkLogger = (logger: Logger): webApi.Logger => {
  const log = (...parts: unknown[]) => logger.debug({ from: "slack sdk" }, parts.map(String).join(" ").slice(0, 300));
  return { debug() {}, info: log, warn: log, error: log, setLevel() {}, getLevel: () => LogLevel.INFO, setName() {} };
};

export interface WebApiOptions {
  readonly apiUrl: string;
  readonly timeoutMs: number;
  readonly logger: Logger;
  /** Aborts every call. */
  readonly signal: AbortSignal;
}

/** Returns a new object each time, because the SDK modifies its options. */
export const webApiOptions = ({ apiUrl, timeoutMs, logger, signal }: WebApiOptions): webApi.WebClientOptions => ({
  slackApiUrl: apiUrl,
  // The outbox retries; a retry of the SDK could post the same message twice.
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  // `textFetch` limits the time of a call.
  timeout: 0,
  allowAbsoluteUrls: false,
  logger: sdkLogger(logger),
  fetch: textFetch({ timeoutMs, signal }),
});

export const webApiClient = (token: string, options: WebApiOptions): webApi.WebClient =>
  new webApi.WebClient(token, webApiOptions(options));

/** The owner of the bot token. */
export interface SlackIdentity {
  readonly teamId: string;
  readonly enterpriseId: string | undefined;
  readonly botUserId: string;
  readonly botId: string | undefined;
  /** `https://acme.slack.com/` */
  readonly teamUrl: string;
  /** The token's scopes; undefined if Slack does not report them. */
  readonly scopes: readonly string[] | undefined;
}

export const identify = async (client: webApi.WebClient): Promise<SlackIdentity> => {
  const { team_id, enterprise_id, user_id, bot_id, url, response_metadata } = await client.auth.test();
  if (!team_id || !user_id || !url) {
    throw new AppError("unavailable", "Slack did not identify the bot token: check that apiUrl is Slack's Web API");
  }
  return {
    teamId: team_id,
    enterpriseId: enterprise_id,
    botUserId: user_id,
    botId: bot_id,
    teamUrl: url.endsWith("/") ? url : `${url}/`,
    scopes: response_metadata?.scopes,
  };
};

/** Timeouts and delays. Tests shorten them. */
export interface SlackLimits {
  /** Timeout of one Web API call. */
  readonly callMs: number;
  /** A stop waits this long for deliveries in progress, then aborts them. */
  readonly stopMs: number;
  /** Timeout from opening a socket to Slack's hello. */
  readonly helloMs: number;
  /** First reconnect delay; it doubles up to `maxReconnectMs`. */
  readonly reconnectMs: number;
  readonly maxReconnectMs: number;
  /** Timeout of a request for a profile or for the first message of a thread; the message then goes on without it. */
  readonly profileMs: number;
}

export const defaultSlackLimits: SlackLimits = {
  callMs: 10_000,
  stopMs: 5_000,
  helloMs: 10_000,
  reconnectMs: 500,
  maxReconnectMs: 60_000,
  profileMs: 700,
};
