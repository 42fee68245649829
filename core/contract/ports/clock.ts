/** The clock of the product; tests inject their own. */
export interface Clock {
  /** Wall clock, milliseconds since 1970: for stored times and times that people see. */
  now(): number;
  /** Milliseconds that never decrease: for leases, deadlines and durations. */
  monotonic(): number;
  /** Calls back once, unless it is cancelled before. */
  after(ms: number, callback: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** The longest delay a Node timer takes; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    let handle: NodeJS.Timeout;
    const arm = (left: number) => {
      const slice = Math.min(left, MAX_TIMER_MS);
      handle = setTimeout(() => (left > slice ? arm(left - slice) : callback()), slice);
    };
    arm(Math.max(0, ms));
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Caches the last result, because a message formats the same time repeatedly. */
export const isoTime = (ms: number): string => {
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
};

/** The UTC day of a time, as in `2026-11-17`. */
export const dayOf = (ms: number): string => isoTime(ms).slice(0, 10);

let last = { ms: 0, text: new Date(0).toISOString() };
