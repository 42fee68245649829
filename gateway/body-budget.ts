import { addressKey } from "../adapters/contract/address-key.ts";
import { isLoopback } from "../adapters/contract/is-loopback.ts";

/** What platforms and agents send is smaller; what people upload may be larger. */
const LARGE_BYTES = 256_000;

/**
 * How many bytes of bodies may be on their way at once. Large ones share a half of it and one address has a quarter, so
 * that slow uploads keep no platform out.
 */
export class BodyBudget {
  readonly #most: number;
  readonly #ofAddress = new Map<string, number>();
  #taken = 0;
  #large = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The result gives them back. Undefined: it would be too many. */
  take(address: string, bytes: number): (() => void) | undefined {
    const large = bytes > LARGE_BYTES ? bytes : 0;
    const key = addressKey(address);
    const counted = isLoopback(address) ? 0 : bytes;
    const theirs = this.#ofAddress.get(key) ?? 0;
    const fits =
      this.#taken + bytes <= this.#most &&
      this.#large + large <= this.#most / 2 &&
      (counted === 0 || theirs + counted <= this.#most / 4);
    if (!fits) return undefined;
    this.#change(key, { bytes, large, counted });
    return () => this.#change(key, { bytes: -bytes, large: -large, counted: -counted });
  }

  #change(key: string, by: { bytes: number; large: number; counted: number }): void {
    this.#taken += by.bytes;
    this.#large += by.large;
    const theirs = (this.#ofAddress.get(key) ?? 0) + by.counted;
    if (theirs > 0) this.#ofAddress.set(key, theirs);
    else this.#ofAddress.delete(key);
  }
}
