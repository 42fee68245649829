import type { Clock } from "../../core/contract/clock.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";

/** While Slack asks to wait with what it counts together, nobody else asks in vain. */
export class CallPauses {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws if Slack does not want these yet. */
  check(counted: string): void {
    const leftMs = (this.#until.get(counted) ?? 0) - this.#clock.monotonic();
    if (leftMs > 0) throw new DeliveryFailed("rate-limited", "Slack asked to wait", { retryAfterMs: leftMs });
    this.#until.delete(counted);
  }

  note(counted: string, { reason, retryAfterMs = 0 }: DeliveryFailed): void {
    if (reason === "rate-limited")
      this.#until.set(counted, this.#clock.monotonic() + Math.min(retryAfterMs, LONGEST_MS));
  }
}

const LONGEST_MS = 10 * 60_000;
