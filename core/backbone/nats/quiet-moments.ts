import type { Clock, Timer } from "../../contract/clock.ts";

interface Waiting {
  readonly timer: Timer;
  done(quiet: boolean): void;
}

/** Finds an instant at which nothing of a partition runs, by starting nothing new in it for a short while. */
export class QuietMoments {
  readonly #clock: Clock;
  readonly #isRunning: (partition: number) => boolean;
  readonly #wanted = new Set<number>();
  readonly #waiting = new Map<number, Waiting>();

  constructor(clock: Clock, isRunning: (partition: number) => boolean) {
    this.#clock = clock;
    this.#isRunning = isRunning;
  }

  /** While it is, nothing of the partition may start. */
  isWanted(partition: number): boolean {
    return this.#wanted.has(partition);
  }

  /** True: nothing runs, and nothing may start until over() is called. */
  async wait(partition: number): Promise<boolean> {
    this.#wanted.add(partition);
    if (!this.#isRunning(partition)) return true;
    return new Promise((resolve) => {
      const done = (quiet: boolean) => {
        this.#waiting.get(partition)?.timer.cancel();
        this.#waiting.delete(partition);
        resolve(quiet);
      };
      this.#waiting.set(partition, { timer: this.#clock.after(LONGEST_WAIT_MS, () => done(false)), done });
    });
  }

  settled(partition: number): void {
    const waiting = this.#waiting.get(partition);
    if (waiting && !this.#isRunning(partition)) waiting.done(true);
  }

  over(partition: number): void {
    this.#wanted.delete(partition);
  }
}

/** Other keys of the partition are held up this long at most. */
const LONGEST_WAIT_MS = 500;
