/** Timeouts and delays. Tests shorten them. */
export interface TelegramTiming {
  /** Timeout of one call. */
  readonly callMs: number;
  /** Telegram answers a poll after this time, also without updates. */
  readonly pollS: number;
  /** A stop waits this long for deliveries in progress, then aborts them. */
  readonly stopMs: number;
  /** First delay after a failed poll; it doubles up to `maxPauseMs`. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** The messages of an album arrive within this time. */
  readonly albumMs: number;
}

export const defaultTiming: TelegramTiming = {
  callMs: 15_000,
  pollS: 25,
  stopMs: 5_000,
  firstPauseMs: 500,
  maxPauseMs: 30_000,
  albumMs: 500,
};
