import type { Clock } from "../../../core/contract/clock.ts";

/** Rung when there may be something new. However often it is rung meanwhile, it is heard once. */
export class ChangeBell {
  #isRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  /** Resolves once it was rung since the last time, or when the time is up. */
  async heard(clock: Clock, withinMs: number): Promise<void> {
    if (!this.#isRung) {
      await new Promise<void>((resolve) => {
        const timer = clock.after(withinMs, resolve);
        this.#wake = () => {
          timer.cancel();
          resolve();
        };
      });
    }
    this.#wake = undefined;
    this.#isRung = false;
  }
}
