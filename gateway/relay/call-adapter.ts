import { isEditingAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter, Delivery, Receipt } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import { deliverySpan } from "../telemetry/delivery-span.ts";
import type { RelayContext } from "./relay-context.ts";
import { isBeginning } from "./streaming/beginning.ts";
import { withinDeadline } from "./within-deadline.ts";

type Parts = Pick<RelayContext, "clock" | "logger" | "limits" | "tracer" | "deliveryHealth">;

/** Calls an adapter that may break its contract: the result is a receipt or a DeliveryFailed, and comes in time. */
export const callAdapter = async (
  parts: Parts,
  adapter: ChannelAdapter,
  delivery: Delivery,
  call: () => Promise<Receipt>,
): Promise<Receipt | DeliveryFailed> => {
  const { clock, tracer, deliveryHealth } = parts;
  const startedAt = clock.now();
  const sent = await attempt(parts, adapter, delivery, call);
  deliveryHealth?.note(sent);
  // The trace of a streamed draft is not known yet.
  if (tracer === undefined || isBeginning(delivery)) return sent;
  tracer.record(deliverySpan(delivery, sent, { startedAt, endedAt: clock.now() }));
  return sent;
};

const attempt = async (
  { clock, logger, limits }: Parts,
  { channel }: ChannelAdapter,
  delivery: Delivery,
  call: () => Promise<Receipt>,
): Promise<Receipt | DeliveryFailed> => {
  try {
    return await withinDeadline<Receipt | DeliveryFailed>(
      clock,
      limits.deliverWithinMs,
      // Inside an async function, so that a call that throws at once is a rejection like any other.
      (async () => call())(),
      () => new DeliveryFailed("unknown", `no answer within ${limits.deliverWithinMs} ms`),
    );
  } catch (error) {
    if (error instanceof DeliveryFailed) return error;
    logger.error(
      { channel, delivery: delivery.id, error: messageOf(error) },
      "adapter bug: it rejected with something else than DeliveryFailed; the outcome counts as unknown",
    );
    return new DeliveryFailed("unknown", `the adapter failed unexpectedly: ${messageOf(error)}`, { cause: error });
  }
};

/** An adapter that cannot edit refuses. */
export const callEdit = async (
  parts: Parts,
  adapter: ChannelAdapter,
  messageId: string,
  delivery: Delivery,
): Promise<Receipt | DeliveryFailed> =>
  isEditingAdapter(adapter)
    ? callAdapter(parts, adapter, delivery, () => adapter.edit(messageId, delivery))
    : new DeliveryFailed("rejected", "messages cannot be edited here");

export const callDeliver = (parts: Parts, adapter: ChannelAdapter, delivery: Delivery) =>
  callAdapter(parts, adapter, delivery, () => adapter.deliver(delivery));
