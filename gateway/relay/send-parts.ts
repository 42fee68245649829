import type { ChannelAdapter, Delivery } from "../../adapters/contract/channel-adapter.ts";
import type { Received } from "../../core/contract/bus.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import { countPart } from "./count-part.ts";
import { deliveryParts } from "./delivery-parts.ts";
import type { PartOutcome, PartSender } from "./part-sender.ts";
import type { RelayContext } from "./relay-context.ts";

export type Trouble = Exclude<PartOutcome, { accepted: unknown }>;

/** Sends what is still to be sent, in order, up to the first trouble. Otherwise: the platform's ids of all parts. */
export const sendParts = async (
  context: RelayContext,
  sender: PartSender,
  parts: readonly Delivery[],
  received: Received,
): Promise<readonly string[] | Trouble> => {
  const messageIds: string[] = [];
  for (const part of parts) {
    const [firstMessageId] = messageIds;
    const outcome = await sender.send(firstMessageId === undefined ? part : { ...part, firstMessageId }, received);
    countPart(context, part.target.channel, outcome);
    if (!("accepted" in outcome)) return outcome;
    messageIds.push(outcome.messageId);
  }
  return messageIds;
};

export const isTrouble = (sent: readonly string[] | Trouble): sent is Trouble => !Array.isArray(sent);

/** A reply as it is to be sent now, with the anchor of this moment. */
export const partsOf = async (
  { anchorIn }: RelayContext,
  { capabilities }: ChannelAdapter,
  request: DeliveryRequest,
): Promise<Delivery[]> => deliveryParts(request, capabilities, await anchorIn(request.target, request.reply));
