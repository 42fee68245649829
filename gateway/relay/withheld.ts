import type { Outcome } from "../../core/contract/bus.ts";
import { ack } from "../../core/contract/bus.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import type { RelayContext } from "./relay-context.ts";

/** It was for this conversation when it was queued, and no longer is: an account was unlinked, or has lost its access. */
export const withheld = ({ meter, logger }: RelayContext, { id, reply, target }: DeliveryRequest): Outcome => {
  const { channel } = target;
  meter.count("deliveries_total", { channel, outcome: "withheld" });
  logger.info({ channel, delivery: id, traceId: reply.traceId }, "withheld: no longer in the audience");
  return ack;
};
