import type { Clock, Timer } from "../../../contract/ports/clock.ts";

interface Waiting {
  readonly timer: Timer;
  done(drained: boolean): void;
}

/** Drains a partition before it is handed over: blocks new handlers for a short while, until the running ones have ended. */
export class PartitionDrain {
  readonly #clock: Clock;
  readonly #isRunning: (partition: number) => boolean;
  readonly #draining = new Set<number>();
  readonly #waiting = new Map<number, Waiting>();

  constructor(clock: Clock, isRunning: (partition: number) => boolean) {
    this.#clock = clock;
    this.#isRunning = isRunning;
  }

  /** While true, no handler of the partition may start. */
  isDraining(partition: number): boolean {
    return this.#draining.has(partition);
  }

  /** True: no handler runs, and none may start until over() is called. False: handlers still run after MAX_WAIT_MS. */
  async wait(partition: number): Promise<boolean> {
    this.#draining.add(partition);
    if (!this.#isRunning(partition)) return true;
    return new Promise((resolve) => {
      const done = (drained: boolean) => {
        this.#waiting.get(partition)?.timer.cancel();
        this.#waiting.delete(partition);
        resolve(drained);
      };
      this.#waiting.set(partition, { timer: this.#clock.after(MAX_WAIT_MS, () => done(false)), done });
    });
  }

  settled(partition: number): void {
    const waiting = this.#waiting.get(partition);
    if (waiting && !this.#isRunning(partition)) waiting.done(true);
  }

  over(partition: number): void {
    this.#draining.delete(partition);
  }
}

/** The maximum delay of the partition's other keys. */
const MAX_WAIT_MS = 500;
