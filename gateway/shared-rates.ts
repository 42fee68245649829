import type { RateShare } from "../adapters/contract/rate-limit.ts";
import type { RatesTaken } from "../core/contract/messages/signals.ts";
import { subjectsOf } from "../core/contract/messages/subjects.ts";
import type { Bus, Listener } from "../core/contract/ports/bus.ts";
import type { Clock, Timer } from "../core/contract/ports/clock.ts";

interface SharedRatesDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** A client can exceed a limit by what the other gateways admit in this time. */
const ANNOUNCE_EVERY_MS = 200;
/** Keys in one signal, far below the maximum size of a message. */
const MAX_KEYS_PER_SIGNAL = 500;
/** A flood of keys beyond this is not announced: each gateway limits it by itself. */
const MAX_KEYS = 5_000;

/**
 * Joins rate limits of all gateways by signals, so that a client of several gateways gets the rate of one, and no request
 * costs a write (R3). A lost signal makes a limit looser for its time to refill.
 */
export class SharedRates {
  readonly #deps: SharedRatesDeps;
  readonly #from: string;
  readonly #taken = new Map<string, { rate: string; key: string; ms: number }>();
  readonly #appliers = new Map<string, (key: string, ms: number) => void>();
  #listener: Listener | undefined;
  #timer: Timer | undefined;

  constructor(deps: SharedRatesDeps) {
    this.#deps = deps;
    this.#from = deps.newId();
  }

  async start(): Promise<void> {
    this.#listener = await this.#deps.bus.listen(SUBJECT, (signal) => this.#apply(signal));
  }

  stop(): void {
    this.#timer?.cancel();
    this.#listener?.close();
  }

  /** The share of one limit. The name is the same on all gateways. */
  of(rate: string): RateShare {
    return {
      announce: (key, ms) => this.#announce(rate, key, ms),
      onAnnounced: (apply) => void this.#appliers.set(rate, apply),
    };
  }

  #announce(rate: string, key: string, ms: number): void {
    const name = `${rate}\n${key}`;
    const known = this.#taken.get(name);
    if (known !== undefined) known.ms += ms;
    else if (this.#taken.size < MAX_KEYS) this.#taken.set(name, { rate, key, ms });
    this.#timer ??= this.#deps.clock.after(ANNOUNCE_EVERY_MS, () => this.#signal());
  }

  #signal(): void {
    this.#timer = undefined;
    const taken = [...this.#taken.values()];
    this.#taken.clear();
    for (let at = 0; at < taken.length; at += MAX_KEYS_PER_SIGNAL) {
      this.#deps.bus.signal(SUBJECT, { from: this.#from, taken: taken.slice(at, at + MAX_KEYS_PER_SIGNAL) });
    }
  }

  #apply({ from, taken }: RatesTaken): void {
    if (from === this.#from) return;
    for (const { rate, key, ms } of taken) this.#appliers.get(rate)?.(key, ms);
  }
}

/** Gateways serve all tenants, and some limits belong to none. */
const SUBJECT = subjectsOf("default").ratesTaken("gateways");
