import type { Outcome } from "../../core/contract/bus.ts";
import { ack } from "../../core/contract/bus.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import type { RelayContext } from "./relay-context.ts";

/** Why nothing is sent to a conversation that a channel's access leaves out. */
export const SHUT_OUT = { reason: "I am no longer let in there", instead: "" } as const;

/** It was for this conversation when it was queued, and no longer is: an account was unlinked, or has lost its access. */
export const withheld = async (
  { meter, logger, reportGone }: RelayContext,
  { id, reply, target }: DeliveryRequest,
): Promise<Outcome> => {
  const { channel } = target;
  meter.count("deliveries_total", { channel, outcome: "withheld" });
  logger.info({ channel, delivery: id, traceId: reply.traceId }, "withheld: no longer in the audience");
  await reportGone(reply, target, SHUT_OUT);
  return ack;
};
