import type { Audience } from "../contract/agent-reply.ts";
import type { Conversation } from "../contract/conversation.ts";
import { conversationKey } from "../contract/conversation.ts";
import type { Store } from "../contract/store.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { personOf } from "../people/person-of.ts";

/**
 * Whether what is known where a piece of work began may be used where somebody answers it (O14). Those who read along
 * there must all be in its audience: in a shared place only if it began in that very room.
 */
export const mayContinue = async (
  _store: Store,
  { audience }: { readonly audience: Audience },
  { tenant, conversation, account }: UserMessage,
): Promise<boolean> => {
  if (conversation.kind === "shared") return sameRoom(conversation, audience.conversation);
  return audience.personId === personOf(tenant, conversation.channel, account.id);
};

const sameRoom = (a: Conversation, b: Conversation): boolean =>
  a.kind === b.kind && conversationKey({ ...a, thread: undefined }) === conversationKey({ ...b, thread: undefined });
