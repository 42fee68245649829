import type { DeliveryFailed, DeliveryFailure } from "../../adapters/contract/delivery-failed.ts";
import type { Outcome, Received } from "../../core/contract/bus.ts";
import { ack } from "../../core/contract/bus.ts";
import type { Logger } from "../../core/contract/logger.ts";
import { AdapterBug } from "./call-adapter.ts";
import type { RelayContext } from "./relay-context.ts";
import { retryPause } from "./retry-pause.ts";
import type { Trouble } from "./send-parts.ts";

/** A bug fails the same way each time, and the conversation waits behind it. */
const MAX_BUG_ATTEMPTS = 5;

const FINAL: ReadonlySet<DeliveryFailure> = new Set(["target-gone", "forbidden", "rejected"]);

export const mayTryAgain = ({ reason }: DeliveryFailed): boolean => !FINAL.has(reason);

/** What becomes of a delivery that was not accepted as a whole. */
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

/** Another attempt after a pause, or a dead letter if none can succeed or it was the last (D5, D6). */
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

/** The bus keeps it, and logs it with this reason. */
const deadLetter = ({ meter }: RelayContext, channel: string, failure: DeliveryFailed, note = ""): Outcome => {
  meter.count("delivery_dead_letters_total", { channel, reason: failure.reason });
  return { deadLetter: `${failure.reason}: ${failure.message}${note}` };
};
