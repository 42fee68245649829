import type { Clock } from "../contract/clock.ts";
import { raceAbort } from "./race-abort.ts";

/** Rejects with the signal's reason if it is aborted meanwhile. */
export const pause = async (clock: Clock, ms: number, signal: AbortSignal): Promise<void> => {
  let cancel = () => {};
  const over = new Promise<void>((resolve) => {
    const timer = clock.after(ms, resolve);
    cancel = () => timer.cancel();
  });
  try {
    await raceAbort(over, signal);
  } finally {
    cancel();
  }
};
