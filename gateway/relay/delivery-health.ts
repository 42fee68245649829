import type { Receipt } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed, type DeliveryFailure } from "../../adapters/contract/delivery-failed.ts";

/** The platform did not answer, or did not accept our credentials. All others prove that it works. */
const AWAY: ReadonlySet<DeliveryFailure> = new Set(["unavailable", "unknown"]);
/** One failed attempt is an everyday hiccup. */
const MIN_FAILURES = 3;

/** What deliveries say about the platform: a token revoked while the channel runs shows here first. */
export class DeliveryHealth {
  #failures = 0;
  #reason: string | undefined;

  note(sent: Receipt | DeliveryFailed): void {
    const hasFailed = sent instanceof DeliveryFailed && AWAY.has(sent.reason);
    this.#failures = hasFailed ? this.#failures + 1 : 0;
    this.#reason = hasFailed ? sent.message : undefined;
  }

  /** For a new connection: earlier failures say nothing about it. */
  reset(): void {
    this.#failures = 0;
    this.#reason = undefined;
  }

  get problem(): string | undefined {
    return this.#failures >= MIN_FAILURES ? this.#reason : undefined;
  }
}
