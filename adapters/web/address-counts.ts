import { addressKey } from "../contract/address-rates.ts";

/** How many sockets each address has open. */
export class AddressCounts {
  readonly #counts = new Map<string, number>();

  of(address: string): number {
    return this.#counts.get(addressKey(address)) ?? 0;
  }

  add(address: string): void {
    this.#counts.set(addressKey(address), this.of(address) + 1);
  }

  remove(address: string): void {
    const left = this.of(address) - 1;
    if (left > 0) this.#counts.set(addressKey(address), left);
    else this.#counts.delete(addressKey(address));
  }
}
