import type { DeliveryFailed, DeliveryFailure } from "../../../adapters/contract/delivery-failed.ts";
import { ack, type Outcome, type Received } from "../../../core/contract/ports/bus.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import type { RelayContext, RetryLimits } from "../context.ts";
import { AdapterBug } from "./call-adapter.ts";
import type { Trouble } from "./delivery-parts.ts";

/** A bug fails the same way each time, and blocks its conversation meanwhile. */
const MAX_BUG_ATTEMPTS = 5;

const FINAL: ReadonlySet<DeliveryFailure> = new Set(["target-gone", "forbidden", "rejected"]);

export const mayTryAgain = ({ reason }: DeliveryFailed): boolean => !FINAL.has(reason);

/** The bus outcome of a delivery of which a part was not accepted. */
export const afterTrouble = (
  context: RelayContext,
  channel: string,
  trouble: Trouble,
  received: Received,
  logger: Logger,
): Outcome => {
  if ("waitMs" in trouble) return { retryInMs: trouble.waitMs };
  if ("withdrawn" in trouble) return ack;
  if ("dead" in trouble) return deadLetter(context, channel, trouble.dead);
  return afterFailure(context, channel, trouble.again, received, logger);
};

/** Retries after a pause; a dead letter if no attempt can succeed or this was the last one (D5, D6). */
export const afterFailure = (
  context: RelayContext,
  channel: string,
  failure: DeliveryFailed,
  { attempt, publishedAt }: Received,
  logger: Logger,
): Outcome => {
  if (!mayTryAgain(failure)) return deadLetter(context, channel, failure);
  const { clock, limits, meter, random } = context;
  const { reason, retryAfterMs } = failure;
  const ageMs = clock.now() - publishedAt;
  const isHopeless = failure instanceof AdapterBug && attempt >= MAX_BUG_ATTEMPTS;
  const pauseMs = isHopeless ? undefined : retryPause(limits.retry, { attempt, ageMs, retryAfterMs, random: random() });
  if (pauseMs === undefined) return deadLetter(context, channel, failure, ` (after ${attempt} attempts)`);
  meter.count("delivery_retries_total", { channel, reason });
  logger.info({ reason, retryInMs: pauseMs }, "delivery failed, retrying");
  return { retryInMs: pauseMs };
};

/** The bus stores the letter and logs it with this reason. */
const deadLetter = ({ meter }: RelayContext, channel: string, failure: DeliveryFailed, note = ""): Outcome => {
  meter.count("delivery_dead_letters_total", { channel, reason: failure.reason });
  return { deadLetter: `${failure.reason}: ${failure.message}${note}` };
};

interface Tried {
  readonly attempt: number;
  readonly ageMs: number;
  /** The platform's Retry-After. */
  readonly retryAfterMs?: number | undefined;
  /** 0 to 1. */
  readonly random: number;
}

/** Exponential backoff with jitter, never shorter than the platform's Retry-After. Undefined: this was the last attempt. */
export const retryPause = (
  limits: RetryLimits,
  { attempt, ageMs, retryAfterMs, random }: Tried,
): number | undefined => {
  const doubled = Math.min(limits.firstPauseMs * 2 ** Math.min(attempt - 1, 40), limits.longestPauseMs);
  // Adapters read this from headers; an invalid value must neither spin nor block for ever.
  const asked = Number.isFinite(retryAfterMs) ? Math.min(retryAfterMs ?? 0, limits.maxAgeMs) : 0;
  const pauseMs = Math.ceil(Math.max(doubled * (0.5 + random / 2), asked * (1 + random / 10)));
  if (attempt >= limits.maxAttempts) return undefined;
  if (attempt >= limits.leastAttempts && ageMs + pauseMs > limits.maxAgeMs) return undefined;
  return pauseMs;
};
