import type { Clock } from "../../core/contract/clock.ts";

/** Waits, but not longer than the signal lets it. */
export const pause = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      timer.cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = clock.after(ms, done);
    signal.addEventListener("abort", done);
  });

/** Doubles from the first pause to the longest. */
export const pauseAfter = (
  failures: number,
  { firstPauseMs, longestPauseMs }: { firstPauseMs: number; longestPauseMs: number },
): number => Math.min(firstPauseMs * 2 ** Math.min(failures - 1, 30), longestPauseMs);
