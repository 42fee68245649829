import type { Clock } from "../../core/contract/clock.ts";

/** Settles as the work does, or with the result of `late` after the timeout. It does not abort the work. */
export const withinDeadline = <T>(clock: Clock, ms: number, work: Promise<T>, late: () => T | Promise<T>): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const timer = clock.after(ms, () => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    });
    work.then(resolve, reject).finally(() => timer.cancel());
  });
