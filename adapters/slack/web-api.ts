import { LogLevel, webApi } from "@slack/bolt";
import type { Logger } from "../../core/contract/logger.ts";

/** What the SDK logs: failures also reach us as errors, and its debug lines hold message text, so nothing is louder than debug. */
export const sdkLogger = (logger: Logger): webApi.Logger => {
  const say = (...parts: unknown[]) => logger.debug({ from: "slack sdk" }, parts.map(String).join(" ").slice(0, 300));
  return { debug() {}, info: say, warn: say, error: say, setLevel() {}, getLevel: () => LogLevel.INFO, setName() {} };
};

export interface WebApiOptions {
  readonly apiUrl: string;
  readonly timeoutMs: number;
  readonly logger: Logger;
  /** Cuts every call off. */
  readonly signal: AbortSignal;
}

/** A new object each time: the SDK writes into the options it is given. */
export const webApiOptions = ({ apiUrl, timeoutMs, logger, signal }: WebApiOptions): webApi.WebClientOptions => ({
  slackApiUrl: apiUrl,
  // The outbox retries; the SDK would post again what Slack may already have.
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  timeout: timeoutMs,
  allowAbsoluteUrls: false,
  logger: sdkLogger(logger),
  fetch: (url, init) => fetch(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal }),
});

export const webApiClient = (token: string, options: WebApiOptions): webApi.WebClient =>
  new webApi.WebClient(token, webApiOptions(options));
