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

/** Errors of a connection that occur only before the request is sent. */
const NOT_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Whether a request failed before anything of it was sent, so that a retry cannot repeat it. */
export const wasNeverSent = (error: unknown): boolean => NOT_SENT.has(codeOf(rootCause(error)));

/** fetch reports "fetch failed" and keeps the reason as its cause. */
export const rootCause = (error: unknown): unknown => {
  let root = error;
  while (root instanceof Error && root.cause !== undefined && root.cause !== root) root = root.cause;
  return root;
};

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
