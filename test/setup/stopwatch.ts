const TICK_MS = 10;

export interface Stopwatch {
  /** Milliseconds since the start, for lower limits. */
  ms(): number;
  /**
   * The same without the time in which this process got no core, for upper limits. On a busy machine the processes that a
   * test waits for are delayed in the same way; on an idle one it equals `ms()`.
   */
  undelayedMs(): number;
  stop(): void;
}

export const startStopwatch = (now: () => number = () => performance.now()): Stopwatch => {
  const startedAt = now();
  let [last, undelayed] = [startedAt, 0];
  const tick = () => {
    const at = now();
    undelayed += Math.min(at - last, 2 * TICK_MS);
    last = at;
  };
  const timer = setInterval(tick, TICK_MS);
  timer.unref();
  return {
    ms: () => now() - startedAt,
    undelayedMs: () => {
      tick();
      return undelayed;
    },
    stop: () => clearInterval(timer),
  };
};

/** Runs an action with its own stopwatch, which stops with it. */
export const timed = async <T>(action: () => Promise<T>): Promise<{ result: T; ms: number; undelayedMs: number }> => {
  const watch = startStopwatch();
  try {
    const result = await action();
    return { result, ms: watch.ms(), undelayedMs: watch.undelayedMs() };
  } finally {
    watch.stop();
  }
};
