import {
  type EphemeralAdapter,
  isDirectMessageAdapter,
  isEphemeralAdapter,
} from "../../../adapters/contract/abilities.ts";
import type { Capabilities, ChannelAdapter, Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { messageOf } from "../../../core/contract/app-error.ts";
import { type Conversation, conversationKey } from "../../../core/contract/messages/conversation.ts";
import {
  type OutgoingReply,
  type ReplyRequest,
  replyRequest,
} from "../../../core/contract/messages/delivery-request.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { ack, type Outcome, type Received } from "../../../core/contract/ports/bus.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import { ledgerKey } from "../../../core/delivery/index.ts";
import { withinDeadline } from "../../../core/lib/index.ts";
import type { RelayContext } from "../context.ts";
import { readerTexts } from "../reader-texts.ts";
import { isPartFailure, partsOf, sendParts } from "./delivery-parts.ts";
import type { Ledger } from "./ledger.ts";
import { afterFailure, afterPartFailure, delivered, isRetryable } from "./outcomes.ts";
import { PartSender } from "./part-sender.ts";

/** Wraps an adapter so that only one account sees its messages. The platform cannot tell the outcome of an attempt. */
const onlyTo = (adapter: EphemeralAdapter, accountId: string): ChannelAdapter => ({
  channel: adapter.channel,
  capabilities: { ...withoutFiles(adapter.capabilities), resend: "repeats" },
  start: async () => undefined,
  deliver: (delivery) => adapter.deliverOnlyTo(accountId, delivery),
  stop: async () => undefined,
});

/** Ephemeral messages have no files on any platform. */
const withoutFiles = ({ files: _, ...capabilities }: Capabilities): Capabilities => capabilities;

/**
 * Readdresses the reply to the caller's private conversation. Without one, a notice in the room says where to ask; the
 * room never sees the reply itself.
 */
export const toPrivate = async (
  context: RelayContext,
  adapter: ChannelAdapter,
  { reply, target }: OutgoingReply,
  caller: string,
): Promise<ReplyRequest | DeliveryFailed> => {
  const found = await privateConversation(context, adapter, caller);
  if (found instanceof DeliveryFailed) return found;
  if (found !== undefined) return replyRequest(reply, found);
  const { onlyFor: _, actions: __, data: ___, ...rest } = reply;
  const { placeholders } = await readerTexts(context, reply, target);
  return replyRequest({ ...rest, id: `${reply.id}/in-private`, markdown: placeholders.onlyForYou }, target);
};

/** The conversation that the platform opens, or else the stored one. */
export const privateConversation = async (
  context: RelayContext,
  adapter: ChannelAdapter,
  caller: string,
): Promise<Conversation | DeliveryFailed | undefined> => {
  if (isDirectMessageAdapter(adapter)) {
    const opened = await open(context, () => adapter.privateConversation(caller));
    if (!(opened instanceof DeliveryFailed) || isRetryable(opened)) return opened;
  }
  return context.privateConversationOf(adapter.channel, caller);
};

/** Opening is idempotent, so an unknown outcome may be retried. */
const open = async (
  { clock, limits }: RelayContext,
  ask: () => Promise<Conversation>,
): Promise<Conversation | DeliveryFailed> => {
  const late = () => new DeliveryFailed("unavailable", "the platform does not open a private conversation");
  try {
    const asked = (async () => ask())();
    return await withinDeadline<Conversation | DeliveryFailed>(clock, limits.deliverWithinMs, asked, late);
  } catch (error) {
    if (!(error instanceof DeliveryFailed))
      return new DeliveryFailed("unavailable", messageOf(error), { cause: error });
    return error.reason === "unknown" ? new DeliveryFailed("unavailable", error.message, { cause: error }) : error;
  }
};

interface PrivateReplyDeps {
  readonly context: RelayContext;
  readonly adapter: ChannelAdapter;
  readonly ledger: Ledger;
  readonly maySend: () => boolean;
}

/** Shows a reply to its caller only: in the room if the platform has ephemeral messages, else in a DM, else not at all (I3). */
export const replyPrivately = async (
  { context, adapter, ledger, maySend }: PrivateReplyDeps,
  request: ReplyRequest,
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
      const sent = await sendParts(context, sender.send, parts, received);
      if (!isPartFailure(sent)) return delivered(context, request);
      const isRejected = "dead" in sent && sent.dead.reason === "rejected";
      if (!isRejected) return afterPartFailure(context, channel, sent, received, logger);
    }
    left = restOf(request, parts, (await firstRejected(context, parts)) ?? 0);
  }
  const readdressed = await toPrivate(context, adapter, left, caller);
  if (readdressed instanceof DeliveryFailed) return afterFailure(context, channel, readdressed, received, logger);
  const options = { id: readdressed.id, key: conversationKey(readdressed.target) };
  await context.bus.publish(subjectsOf(context.tenant).delivery(channel), readdressed, options);
  return ack;
};

/** The first part that the platform refused as ephemeral; the ledger fixes it, so that no part is shown twice. */
const firstRejected = async ({ store }: RelayContext, parts: readonly Delivery[]): Promise<number | undefined> => {
  for (const { reply, target, part } of parts) {
    const entry = (await store.get(ledgerKey(reply.id, target, part.index)))?.value;
    if (entry?.state === "failed" && entry.reason === "rejected") return part.index;
    if (entry?.state !== "accepted") return undefined;
  }
  return undefined;
};

const restOf = (request: ReplyRequest, parts: readonly Delivery[], index: number): ReplyRequest => {
  if (index === 0) return request;
  const markdown = parts.slice(index).map(({ part }) => part.markdown);
  return { ...request, reply: { ...request.reply, markdown: markdown.join("\n\n"), files: [] } };
};
