import { BoundedCache } from "../../core/contract/bounded-cache.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";

const QUIET_MS = 10 * 60_000;
const MAX_REMEMBERED = 10_000;

/** Limits refusal notices: a notice for each refused message would let anyone make the bot flood a conversation. */
export class RefusalThrottle {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #shownAt = new BoundedCache<string, number>(MAX_REMEMBERED);

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** True at most once in ten minutes for the same account and details; true means that the caller shows the notice. */
  mayShow(accountId: string, ...details: readonly string[]): boolean {
    const now = this.#clock.monotonic();
    const key = JSON.stringify([accountId, ...details]);
    const shownAt = this.#shownAt.get(key);
    if (shownAt !== undefined && now - shownAt < QUIET_MS) return false;
    this.#shownAt.set(key, now);
    return true;
  }
}
