import type { Clock } from "../../core/contract/clock.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";

/** Slack counts posts per room. While it asks to wait, the other conversations of that room do not ask in vain. */
export class RoomPauses {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws if Slack does not want posts there yet. */
  check(room: string): void {
    const leftMs = (this.#until.get(room) ?? 0) - this.#clock.monotonic();
    if (leftMs > 0) throw new DeliveryFailed("rate-limited", "Slack asked to wait", { retryAfterMs: leftMs });
    this.#until.delete(room);
  }

  note(room: string, { reason, retryAfterMs = 0 }: DeliveryFailed): void {
    if (reason === "rate-limited") this.#until.set(room, this.#clock.monotonic() + Math.min(retryAfterMs, LONGEST_MS));
  }
}

const LONGEST_MS = 10 * 60_000;
