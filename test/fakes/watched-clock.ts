import type { Timer } from "../../core/contract/ports/clock.ts";
import { ManualClock } from "./manual-clock.ts";
import { Recorder } from "./recorder.ts";

/** A manual clock that tells when somebody begins to wait, so that a test moves it neither too early nor too late. */
export class WatchedClock extends ManualClock {
  /** The length of every wait, in the order they began. */
  readonly waits = new Recorder<number>();
  #looked = 0;

  override after(ms: number, callback: () => void): Timer {
    const timer = super.after(ms, callback);
    this.waits.add(ms);
    return timer;
  }

  /** Moves on by a wait's length once the n-th wait between these lengths has begun. */
  async pass(nth: number, { from, to }: { from: number; to: number }): Promise<void> {
    const fitting = (waits: readonly number[]) => waits.filter((ms) => ms >= from && ms <= to);
    const waits = await this.waits.until((all) => fitting(all).length >= nth);
    this.advance(fitting(waits)[nth - 1] ?? 0);
  }

  /** Moves on by the next wait between these lengths, once it has begun; earlier ones were passed before. */
  passNext(fromMs: number, toMs = fromMs): Promise<number> {
    return this.passNextOf((ms) => ms >= fromMs && ms <= toMs);
  }

  async passNextOf(isIt: (ms: number) => boolean): Promise<number> {
    const find = (all: readonly number[]) => all.findIndex((ms, index) => index >= this.#looked && isIt(ms));
    const all = await this.waits.until((items) => find(items) >= 0);
    this.#looked = find(all) + 1;
    const ms = all[this.#looked - 1] as number;
    this.advance(ms);
    return ms;
  }
}
