import { addressKey } from "./address-key.ts";
import { allowanceOf } from "./is-loopback.ts";
import { KeyedRates } from "./keyed-rates.ts";
import { RateLimit } from "./rate-limit.ts";

/** A rate per address; loopback has its allowance of it. */
export class AddressRates {
  readonly #limitOf: (allowance: number) => RateLimit;
  readonly #limits = new Map<number, RateLimit>();
  readonly #rates = new KeyedRates();

  constructor(perSecond: number, burst: number) {
    this.#limitOf = (allowance) => new RateLimit(perSecond * allowance, burst * allowance);
  }

  /** 0: one more is taken. Otherwise it is not, and there is room for it after so many milliseconds. */
  take(address: string, now: number, key = addressKey(address)): number {
    const allowance = allowanceOf(address);
    const limit = this.#limits.get(allowance) ?? this.#limitOf(allowance);
    this.#limits.set(allowance, limit);
    return this.#rates.take(key, limit, now);
  }
}
