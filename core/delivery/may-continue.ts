import type { Audience } from "../contract/agent-reply.ts";
import { sameRoom } from "../contract/conversation.ts";
import type { Store } from "../contract/store.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { askerOf } from "./asker-of.ts";
import { mayShow } from "./may-show.ts";

/**
 * Whether what is known where a piece of work began may be used where somebody answers it (O14). Everybody who reads
 * along here must be in its audience: in a shared place only if it began in that very room, in a private one if an
 * answer of it may be shown there. Who writes here was let in already.
 */
export const mayContinue = async (
  store: Store,
  { audience }: { readonly audience: Audience },
  { tenant, conversation }: Pick<UserMessage, "tenant" | "conversation">,
): Promise<boolean> => {
  const began = audience.conversation;
  if (conversation.kind === "shared") return began.kind === "shared" && sameRoom(conversation, began);
  return mayShow({ audience }, conversation, await askerOf(store, { tenant, audience }), () => true);
};
