import type { Timer } from "../../core/contract/ports/clock.ts";
import { ManualClock } from "./manual-clock.ts";
import { Recorder } from "./recorder.ts";

/** A manual clock that records when a wait begins, so that a test advances it neither too early nor too late. */
export class WatchedClock extends ManualClock {
  /** The length of every wait, in the order of their starts. */
  readonly waits = new Recorder<number>();
  #passed = 0;

  override after(ms: number, callback: () => void): Timer {
    const timer = super.after(ms, callback);
    this.waits.add(ms);
    return timer;
  }

  /** Once the n-th wait between these lengths has begun, advances the clock by its length. */
  async pass(nth: number, { from, to, except }: { from: number; to: number; except?: number }): Promise<void> {
    const fitting = (waits: readonly number[]) => waits.filter((ms) => ms >= from && ms <= to && ms !== except);
    const waits = await this.waits.until((all) => fitting(all).length >= nth);
    this.advance(fitting(waits)[nth - 1] ?? 0);
  }

  /** Once the next wait between these lengths has begun, advances the clock by its length; skips earlier waits. */
  passNext(fromMs: number, toMs = fromMs): Promise<number> {
    return this.passNextOf((ms) => ms >= fromMs && ms <= toMs);
  }

  async passNextOf(isIt: (ms: number) => boolean): Promise<number> {
    const find = (all: readonly number[]) => all.findIndex((ms, index) => index >= this.#passed && isIt(ms));
    const all = await this.waits.until((items) => find(items) >= 0);
    this.#passed = find(all) + 1;
    const ms = all[this.#passed - 1] as number;
    this.advance(ms);
    return ms;
  }
}
