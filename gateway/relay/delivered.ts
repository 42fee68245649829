import type { Outcome } from "../../core/contract/bus.ts";
import { ack } from "../../core/contract/bus.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import type { Logger } from "../../core/contract/logger.ts";
import type { RelayContext } from "./relay-context.ts";

/** Every part is where it should be. */
export const delivered = (
  { clock, meter }: RelayContext,
  { reply, target }: DeliveryRequest,
  logger: Logger,
): Outcome => {
  const latencyMs = Math.max(0, clock.now() - Date.parse(reply.createdAt));
  meter.observe("delivery_latency_seconds", latencyMs / 1_000, { channel: target.channel });
  logger.debug({ latencyMs }, "delivered");
  return ack;
};
