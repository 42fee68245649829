import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import type { Received } from "../../core/contract/bus.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import { countPart } from "./count-part.ts";
import { deliveryParts } from "./delivery-parts.ts";
import type { PartOutcome, PartSender } from "./part-sender.ts";
import type { RelayContext } from "./relay-context.ts";

export type Trouble = Exclude<PartOutcome, { accepted: unknown }>;

/** Sends what is still to be sent of a reply, in order, up to the first trouble. Otherwise: the platform's ids of all its parts. */
export const sendParts = async (
  context: RelayContext,
  { channel, capabilities }: ChannelAdapter,
  sender: PartSender,
  request: DeliveryRequest,
  received: Received,
): Promise<readonly string[] | Trouble> => {
  const anchor = await context.anchorIn(request.target, request.reply);
  const messageIds: string[] = [];
  for (const part of deliveryParts(request, capabilities, anchor)) {
    const outcome = await sender.send(part, received);
    countPart(context, channel, outcome);
    if (!("accepted" in outcome)) return outcome;
    messageIds.push(outcome.messageId);
  }
  return messageIds;
};

export const isTrouble = (sent: readonly string[] | Trouble): sent is Trouble => !Array.isArray(sent);
