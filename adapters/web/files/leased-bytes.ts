import { z } from "zod";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../../../core/contract/ports/store.ts";
import { update } from "../../../core/contract/ports/update.ts";
import { KeyedQueue } from "../../contract/keyed-queue.ts";

/** The bytes that all gateways together have leased in one hour. */
const LeasedInHour = z.looseObject({ hour: z.int(), bytes: z.number().nonnegative() });

const HOUR_MS = 3_600_000;
const leases = collection("web-stored-bytes", LeasedInHour, { ttlMs: 2 * HOUR_MS });

/** A gateway leases this part of the limit at a time, so a message rarely costs a write. */
const BLOCKS = 64;

interface LeasedBytesDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** "channel" or "tenant", and its name. */
  readonly scope: readonly [kind: string, name: string];
  readonly perHour: number;
}

/**
 * A limit of stored bytes per hour that all gateways share. Each leases blocks of it by compare-and-set; together they
 * never exceed the limit, and at most one block per gateway stays unused.
 */
export class LeasedBytes {
  readonly #deps: LeasedBytesDeps;
  readonly #order = new KeyedQueue();
  #hour = 0;
  #left = 0;

  constructor(deps: LeasedBytesDeps) {
    this.#deps = deps;
  }

  /** Takes the bytes, and returns 0; or the milliseconds until the next hour if the share of the limit is used up. */
  async take(bytes: number, share: number): Promise<number> {
    if (this.#takeLeased(bytes)) return 0;
    return this.#order.run("lease", () => this.#lease(bytes, share));
  }

  refund(bytes: number): void {
    if (this.#hour === this.#hourNow) this.#left += bytes;
  }

  #takeLeased(bytes: number): boolean {
    if (this.#hour !== this.#hourNow || this.#left < bytes) return false;
    this.#left -= bytes;
    return true;
  }

  async #lease(bytes: number, share: number): Promise<number> {
    // An earlier lease in the queue may have brought enough.
    if (this.#takeLeased(bytes)) return 0;
    const { store, clock, scope, perHour } = this.#deps;
    const hour = this.#hourNow;
    const missing = bytes - (this.#hour === hour ? this.#left : 0);
    let leased = 0;
    await update(store, keyOf(leases, ...scope), (known) => {
      const used = known?.hour === hour ? known.bytes : 0;
      leased = Math.min(Math.max(missing, perHour / BLOCKS), perHour * share - used);
      return leased < missing ? known : { hour, bytes: used + leased };
    });
    if (leased < missing) return (hour + 1) * HOUR_MS - clock.now();
    this.#left = (this.#hour === hour ? this.#left : 0) + leased;
    this.#hour = hour;
    return this.#takeLeased(bytes) ? 0 : this.#lease(bytes, share);
  }

  get #hourNow(): number {
    return Math.floor(this.#deps.clock.now() / HOUR_MS);
  }
}
