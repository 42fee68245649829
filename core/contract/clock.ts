/** Time as the product sees it; tests put a clock of their own in its place. */
export interface Clock {
  /** Wall clock, milliseconds since 1970: for what people see and what is stored. */
  now(): number;
  /** Milliseconds that only ever grow: for leases, deadlines and durations. */
  monotonic(): number;
  /** Calls back once, unless cancelled first. */
  after(ms: number, callback: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** The longest delay a Node timer takes; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    let handle: NodeJS.Timeout;
    const arm = (left: number) => {
      const slice = Math.min(left, LONGEST_TIMER_MS);
      handle = setTimeout(() => (left > slice ? arm(left - slice) : callback()), slice);
    };
    arm(Math.max(0, ms));
    return { cancel: () => clearTimeout(handle) };
  },
};

export const isoTime = (ms: number): string => new Date(ms).toISOString();
