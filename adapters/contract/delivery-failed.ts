import { AppError } from "../../core/contract/app-error.ts";

/**
 * rate-limited, unavailable: certainly not sent; a later retry may succeed.
 * unknown: the platform may have received it.
 * target-gone, forbidden, rejected: no retry can succeed.
 */
export type DeliveryFailure = "rate-limited" | "unavailable" | "unknown" | "target-gone" | "forbidden" | "rejected";

/** The only error that `deliver` rejects with. */
export class DeliveryFailed extends AppError {
  readonly reason: DeliveryFailure;
  readonly retryAfterMs: number | undefined;

  constructor(reason: DeliveryFailure, message: string, options?: { retryAfterMs?: number; cause?: unknown }) {
    super(reason === "rate-limited" ? "rate-limited" : "unavailable", message, options);
    this.reason = reason;
    this.retryAfterMs = options?.retryAfterMs;
  }
}
