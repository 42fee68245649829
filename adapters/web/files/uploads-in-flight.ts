import { AppError } from "../../../core/contract/app-error.ts";
import { Places } from "../../contract/places.ts";
import { addressKey, allowanceOf } from "../../contract/rate-limit.ts";
import type { WebLimits } from "../config.ts";

interface Uploading {
  readonly address: string;
  readonly isAnonymous: boolean;
}

/**
 * Limits the uploads that one gateway receives at once, per address, channel and tenant (R3). They limit what this process
 * holds in memory, so gateways do not share them.
 */
export class UploadsInFlight {
  readonly #perAddress: number;
  readonly #channel: Places;
  readonly #tenant: Places | undefined;
  readonly #byAddress = new Map<string, Places>();

  constructor({ uploadsPerAddress, uploads }: Pick<WebLimits, "uploadsPerAddress" | "uploads">, tenant?: Places) {
    this.#perAddress = uploadsPerAddress;
    this.#channel = new Places(uploads);
    this.#tenant = tenant;
  }

  /** Throws "rate-limited" if too many are in progress. The caller calls the returned function at the end of the request. */
  begin({ address, isAnonymous }: Uploading): () => void {
    const key = addressKey(address);
    const ofAddress = this.#byAddress.get(key) ?? new Places(this.#perAddress * allowanceOf(address));
    const taken: (() => void)[] = [];
    const end = () => {
      for (const free of taken) free();
      if (ofAddress.isEmpty) this.#byAddress.delete(key);
    };
    // All senders at one address share its limit, so anonymous ones have no part of it.
    for (const [places, anonymous] of [
      [ofAddress, false],
      [this.#channel, isAnonymous],
      [this.#tenant, isAnonymous],
    ] as const) {
      const free = places === undefined ? () => undefined : places.take(anonymous);
      if (free === undefined) {
        end();
        throw new AppError("rate-limited", "too many files are arriving at once: try again in a few seconds");
      }
      taken.push(free);
    }
    this.#byAddress.set(key, ofAddress);
    return end;
  }
}
