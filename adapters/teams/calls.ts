import type { Clock } from "../../core/contract/clock.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";
import { explainFailure } from "./explain-failure.ts";

const PATIENCE_MS = 20_000;
const STOP_WITHIN_MS = 4_000;

/** The calls to Teams that are under way: each with a deadline, and all of them ended by a stop. */
export class Calls {
  readonly #clock: Pick<Clock, "after">;
  readonly #underWay = new Map<Promise<unknown>, AbortController>();
  #open = false;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  open(): void {
    this.#open = true;
  }

  /** Fails with DeliveryFailed only. */
  async make<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (!this.#open) throw new DeliveryFailed("unavailable", "the channel is stopped; another gateway delivers");
    const abort = new AbortController();
    const timer = this.#clock.after(PATIENCE_MS, () => abort.abort());
    const made = call(abort.signal);
    this.#underWay.set(made, abort);
    try {
      return await made;
    } catch (error) {
      throw explainFailure(error);
    } finally {
      timer.cancel();
      this.#underWay.delete(made);
    }
  }

  /** No new ones; those under way may end, for a while. */
  async close(): Promise<void> {
    this.#open = false;
    const ended = Promise.allSettled(this.#underWay.keys());
    const timer = this.#clock.after(STOP_WITHIN_MS, () => {
      for (const abort of this.#underWay.values()) abort.abort();
    });
    await ended;
    timer.cancel();
  }
}
