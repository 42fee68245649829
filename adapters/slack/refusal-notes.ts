import type { Clock } from "../../core/contract/clock.ts";

/** Who is refused is told once, then left in peace for a while: a notice for each message would be a flood of its own. */
export class RefusalNotes {
  readonly #clock: Clock;
  readonly #told = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True if this person has not been told this lately; from now on they have. */
  isNews(account: string, why: string): boolean {
    const now = this.#clock.monotonic();
    const key = `${account} ${why}`;
    const toldAt = this.#told.get(key);
    if (toldAt !== undefined && now - toldAt < AGAIN_AFTER_MS) return false;
    if (this.#told.size >= MOST_KEPT) this.#told.clear();
    this.#told.set(key, now);
    return true;
  }
}

const AGAIN_AFTER_MS = 10 * 60_000;
const MOST_KEPT = 5_000;
