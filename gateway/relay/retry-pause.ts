export interface RetryLimits {
  readonly maxAttempts: number;
  /** Counted from when the message was stored: a queue behind a dead platform ends as a whole. */
  readonly maxAgeMs: number;
  /** What waited longer than `maxAgeMs` for its first attempt still gets this many. */
  readonly leastAttempts: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export const defaultRetryLimits: RetryLimits = {
  maxAttempts: 50,
  maxAgeMs: 24 * 3_600_000,
  leastAttempts: 5,
  firstPauseMs: 1_000,
  longestPauseMs: 30 * 60_000,
};

export interface Tried {
  readonly attempt: number;
  readonly ageMs: number;
  /** What the platform asked for. */
  readonly retryAfterMs?: number | undefined;
  /** 0 to 1. */
  readonly random: number;
}

/** Doubles, with jitter, and never shorter than the platform asked for. Nothing: it was the last attempt. */
export const retryPause = (
  limits: RetryLimits,
  { attempt, ageMs, retryAfterMs, random }: Tried,
): number | undefined => {
  const doubled = Math.min(limits.firstPauseMs * 2 ** Math.min(attempt - 1, 40), limits.longestPauseMs);
  // Adapters read this from headers; nonsense must neither spin nor wait for ever.
  const asked = Number.isFinite(retryAfterMs) ? Math.min(retryAfterMs ?? 0, limits.maxAgeMs) : 0;
  const pauseMs = Math.ceil(Math.max(doubled * (0.5 + random / 2), asked * (1 + random / 10)));
  if (attempt >= limits.maxAttempts) return undefined;
  if (attempt >= limits.leastAttempts && ageMs + pauseMs > limits.maxAgeMs) return undefined;
  return pauseMs;
};
