import type { Timer } from "../../core/contract/clock.ts";
import { ManualClock } from "./manual-clock.ts";
import { Recorder } from "./recorder.ts";

/** A clock that stands still and tells which timers were set on it. */
export class WatchedClock extends ManualClock {
  readonly armed = new Recorder<number>();
  #looked = 0;

  override after(ms: number, callback: () => void): Timer {
    const timer = super.after(ms, callback);
    this.armed.add(ms);
    return timer;
  }

  /** Waits until a timer of this length is set (after the one that was waited for before), then lets that time pass. */
  async passOnceArmed(fromMs: number, toMs: number): Promise<number> {
    const find = (all: readonly number[]) =>
      all.findIndex((ms, index) => index >= this.#looked && ms >= fromMs && ms <= toMs);
    const all = await this.armed.until((items) => find(items) >= 0);
    this.#looked = find(all) + 1;
    const ms = all[this.#looked - 1] as number;
    this.advance(ms);
    return ms;
  }
}
