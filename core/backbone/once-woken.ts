import type { Wait } from "../contract/bus.ts";
import type { Clock, Timer } from "../contract/clock.ts";

/** Calls back when the wait is over, once, and never before this has returned. */
export const onceWoken = (clock: Clock, { wokenBy, atMostMs }: Wait, callback: () => void): Timer => {
  let isOver = false;
  const cancel = () => {
    isOver = true;
    timer.cancel();
    sleepOn();
  };
  const wake = () => {
    if (isOver) return;
    cancel();
    callback();
  };
  const timer = clock.after(atMostMs, wake);
  const sleepOn = wokenBy(() => queueMicrotask(wake));
  return { cancel };
};
