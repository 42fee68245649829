import type { EphemeralAdapter } from "../../adapters/contract/abilities.ts";
import { isDirectMessageAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import { conversationKey } from "../../core/contract/conversation.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import { mayTryAgain } from "./after-failure.ts";
import type { RelayContext } from "./relay-context.ts";
import { withinDeadline } from "./within-deadline.ts";

/** The account that alone may see it, although the conversation is shared (I3). */
export const callerOf = ({ reply, target }: DeliveryRequest): string | undefined =>
  target.kind === "shared" ? reply.onlyFor : undefined;

/** An adapter whose messages only one account sees. Nobody can be asked what became of them. */
export const onlyTo = (adapter: EphemeralAdapter, accountId: string): ChannelAdapter => ({
  channel: adapter.channel,
  capabilities: { ...adapter.capabilities, resend: "repeats" },
  start: async () => undefined,
  deliver: (delivery) => adapter.deliverOnlyTo(accountId, delivery),
  stop: async () => undefined,
});

/**
 * The same answer for the caller's private conversation, or if there is none, a word in the room that says where to
 * ask. The room never sees the answer itself.
 */
export const toPrivate = async (
  context: RelayContext,
  adapter: ChannelAdapter,
  { reply, target }: DeliveryRequest,
  caller: string,
): Promise<DeliveryRequest | DeliveryFailed> => {
  const found = await privateConversation(context, adapter, caller);
  if (found instanceof DeliveryFailed) return found;
  if (found !== undefined) return { id: `${reply.id}/${conversationKey(found)}`, reply, target: found };
  const { onlyFor: _, actions: __, data: ___, ...rest } = reply;
  const word = { ...rest, id: `${reply.id}/in-private`, markdown: IN_PRIVATE };
  return { id: `${word.id}/${conversationKey(target)}`, reply: word, target };
};

const IN_PRIVATE = "The answer is for you alone. Write to me in a private conversation and ask me there.";

/** The one known, or the one that the platform opens. Undefined: there is none. */
export const privateConversation = async (
  context: RelayContext,
  adapter: ChannelAdapter,
  caller: string,
): Promise<Conversation | DeliveryFailed | undefined> => {
  if (isDirectMessageAdapter(adapter)) {
    const opened = await open(context, () => adapter.privateConversation(caller));
    if (!(opened instanceof DeliveryFailed) || mayTryAgain(opened)) return opened;
  }
  return context.privateConversationOf(adapter.channel, caller);
};

/** To open a conversation twice is to open it once: whatever became of an attempt, it may be made again. */
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
