import { AppError } from "../../core/contract/app-error.ts";
import { brand } from "../../core/contract/brand.ts";

/**
 * rate-limited, unavailable: certainly not sent; a later retry may succeed.
 * unknown: the platform may have received it.
 * moved: not sent, because the room has another id now (`movedTo`); the gateway sends it there.
 * target-gone, forbidden, rejected: no retry can succeed.
 */
export type DeliveryFailure =
  | "rate-limited"
  | "unavailable"
  | "unknown"
  | "moved"
  | "target-gone"
  | "forbidden"
  | "rejected";

export interface FailureDetails {
  readonly retryAfterMs?: number;
  /** The room's new id; only for reason "moved", and only of a `MovingRoomsAdapter`. */
  readonly movedTo?: string;
  readonly cause?: unknown;
}

/** The only error that `deliver` rejects with. */
export class DeliveryFailed extends AppError {
  readonly reason: DeliveryFailure;
  readonly retryAfterMs: number | undefined;
  readonly movedTo: string | undefined;

  constructor(reason: DeliveryFailure, message: string, options?: FailureDetails) {
    super(reason === "rate-limited" ? "rate-limited" : "unavailable", message, options);
    this.reason = reason;
    this.retryAfterMs = options?.retryAfterMs;
    this.movedTo = options?.movedTo;
  }
}
brand(DeliveryFailed, "DeliveryFailed");
