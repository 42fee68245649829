import { isEphemeralAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter, Delivery } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import type { Outcome, Received } from "../../core/contract/bus.ts";
import { ack } from "../../core/contract/bus.ts";
import { conversationKey } from "../../core/contract/conversation.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import type { Logger } from "../../core/contract/logger.ts";
import { subjectsOf } from "../../core/contract/subjects.ts";
import { ledgerKey } from "../../core/delivery/index.ts";
import { afterFailure, afterTrouble } from "./after-failure.ts";
import { delivered } from "./delivered.ts";
import type { Ledger } from "./ledger.ts";
import { PartSender } from "./part-sender.ts";
import { onlyTo, toPrivate } from "./private-answer.ts";
import type { RelayContext } from "./relay-context.ts";
import { isTrouble, partsOf, sendParts } from "./send-parts.ts";

export interface PrivateMeans {
  readonly context: RelayContext;
  readonly adapter: ChannelAdapter;
  readonly ledger: Ledger;
  readonly maySend: () => boolean;
}

/** Shows an answer to its caller alone: in the room if the platform can do that, else in private, else not at all (I3). */
export const answerPrivately = async (
  { context, adapter, ledger, maySend }: PrivateMeans,
  request: DeliveryRequest,
  caller: string,
  received: Received,
  logger: Logger,
): Promise<Outcome> => {
  const { channel } = adapter;
  let left = request;
  if (isEphemeralAdapter(adapter)) {
    const shown = onlyTo(adapter, caller);
    const parts = await partsOf(context, shown, request);
    if ((await firstRejected(context, parts)) === undefined) {
      const sender = new PartSender(shown, ledger, context, maySend);
      const sent = await sendParts(context, sender, parts, received);
      if (!isTrouble(sent)) return delivered(context, request);
      const isRejected = "dead" in sent && sent.dead.reason === "rejected";
      if (!isRejected) return afterTrouble(context, channel, sent, received, logger);
    }
    left = restOf(request, parts, (await firstRejected(context, parts)) ?? 0);
  }
  const elsewhere = await toPrivate(context, adapter, left, caller);
  if (elsewhere instanceof DeliveryFailed) return afterFailure(context, channel, elsewhere, received, logger);
  const options = { id: elsewhere.id, key: conversationKey(elsewhere.target) };
  await context.bus.publish(subjectsOf(context.tenant).delivery(channel), elsewhere, options);
  return ack;
};

/** The part from which on the platform would not show it to one account only: decided once, so that none is seen twice. */
const firstRejected = async ({ store }: RelayContext, parts: readonly Delivery[]): Promise<number | undefined> => {
  for (const { reply, target, part } of parts) {
    const entry = (await store.get(ledgerKey(reply.id, target, part.index)))?.value;
    if (entry?.state === "failed" && entry.reason === "rejected") return part.index;
    if (entry?.state !== "accepted") return undefined;
  }
  return undefined;
};

const restOf = (request: DeliveryRequest, parts: readonly Delivery[], index: number): DeliveryRequest => {
  if (index === 0) return request;
  const markdown = parts.slice(index).map(({ part }) => part.markdown);
  return { ...request, reply: { ...request.reply, markdown: markdown.join("\n\n") } };
};
