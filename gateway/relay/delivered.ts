import type { Outcome } from "../../core/contract/bus.ts";
import { ack } from "../../core/contract/bus.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import { signalProgress } from "../../core/turns/index.ts";
import type { RelayContext } from "./relay-context.ts";

/** Every part is where it should be. */
export const delivered = (
  { bus, clock, meter, logger }: RelayContext,
  { id, reply, target }: DeliveryRequest,
): Outcome => {
  const latencyMs = Math.max(0, clock.now() - Date.parse(reply.createdAt));
  meter.observe("delivery_latency_seconds", latencyMs / 1_000, { channel: target.channel });
  logger.debug({ channel: target.channel, delivery: id, traceId: reply.traceId, latencyMs }, "delivered");
  signalProgress(bus, reply);
  return ack;
};
