import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Delivery } from "./channel-adapter.ts";

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

/** The adapter could not render the reply, so it sent nothing. The gateway delivers it again with `plain` set. */
export class NotDrawn extends DeliveryFailed {
  constructor(cause: unknown) {
    super("rejected", `the reply could not be drawn: ${messageOf(cause).slice(0, 200)}`, { cause });
  }
}

/** Renders a delivery before the adapter sends anything, so that a rendering failure is never "unknown". */
export const draw = <T>(delivery: Delivery, render: (delivery: Delivery) => T): T => {
  try {
    return render(delivery);
  } catch (error) {
    throw error instanceof DeliveryFailed ? error : new NotDrawn(error);
  }
};
