/** Timeouts, delays and intervals. Tests shorten them. */
export interface DiscordTiming {
  readonly loginWithinMs: number;
  /** Timeout of one request with its response; well below the outbox timeout of 60 s. */
  readonly requestWithinMs: number;
  /** Time that deliveries in progress have left when the channel stops. */
  readonly stopWithinMs: number;
  /** Discord reports an interaction as failed after 3 s. */
  readonly acknowledgeWithinMs: number;
  /** Discord allows one IDENTIFY in 5 s. */
  readonly identifyEveryMs: number;
  /** Discord keeps a session for some minutes, but its server may never come back. */
  readonly resumeWithinMs: number;
  /** Delay before the first retry; it doubles up to `maxPauseMs`. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** Interval at which read positions are stored. */
  readonly saveEveryMs: number;
  /** Health reports a longer interruption only, because Discord requests reconnects all day. */
  readonly reportAfterMs: number;
}

export const defaultTiming: DiscordTiming = {
  loginWithinMs: 30_000,
  requestWithinMs: 15_000,
  stopWithinMs: 5_000,
  acknowledgeWithinMs: 1_500,
  identifyEveryMs: 5_500,
  resumeWithinMs: 60_000,
  firstPauseMs: 1_000,
  maxPauseMs: 60_000,
  saveEveryMs: 15_000,
  reportAfterMs: 10_000,
};

/** Exponential backoff. */
export const pauseAfter = (
  failures: number,
  { firstPauseMs, maxPauseMs }: { firstPauseMs: number; maxPauseMs: number },
): number => Math.min(firstPauseMs * 2 ** Math.min(failures - 1, 30), maxPauseMs);
