import type { Clock } from "../contract/clock.ts";
import { orAborted } from "./or-aborted.ts";

/** Rejects with the signal's reason if it is aborted meanwhile. */
export const pause = async (clock: Clock, ms: number, signal: AbortSignal): Promise<void> => {
  let cancel = () => {};
  const over = new Promise<void>((resolve) => {
    const timer = clock.after(ms, resolve);
    cancel = () => timer.cancel();
  });
  try {
    await orAborted(over, signal);
  } finally {
    cancel();
  }
};
