import { conversationKey, sameRoom } from "../../contract/messages/conversation.ts";
import type { Audience } from "../../contract/messages/work-context.ts";
import type { Store } from "../../contract/ports/store.ts";
import type { Surface } from "../../people/index.ts";
import { askerOf, askingAccount, withRequester } from "../asker.ts";
import { audienceAt, type Destination } from "../destination.ts";
import { canSee } from "../visibility.ts";
import type { UndeliverableResult } from "./undeliverable-result.ts";

export interface FallbackDeps {
  readonly store: Store;
  /** The agent's home, for messages that have no other recipient. */
  readonly home?: Destination | undefined;
  /** Whether the agent has a channel of this name. */
  readonly hasChannel: (channel: string) => boolean;
}

interface FallbackConversation {
  readonly audience: Audience;
  /** The conversation is private and belongs to the person that the result is for. */
  readonly isTheirs: boolean;
}

/** Where to report an undeliverable result: in its person's last active private conversation, else at home. */
export const fallbackConversation = async (
  { store, home, hasChannel }: FallbackDeps,
  tenant: string,
  { audience, tried }: UndeliverableResult,
): Promise<FallbackConversation | undefined> => {
  const isTried = (conversation: Surface["conversation"]) => tried.some((one) => sameRoom(one, conversation));
  const person = audience && (await askerOf(store, { tenant, audience }));
  const open = (person?.surfaces ?? []).filter(
    ({ channel, conversation }) =>
      audience !== undefined &&
      hasChannel(channel) &&
      !isTried(conversation) &&
      canSee({ audience }, conversation, person, () => true),
  );
  const surface = open.find(({ conversation }) => conversationKey(conversation) === person?.lastActive) ?? open.at(-1);
  if (audience !== undefined && person !== undefined && surface !== undefined) {
    const { conversation, accountId } = surface;
    const { id: personId, membership } = person;
    const receiver = { conversation, personId, accountId, membership };
    return { audience: withRequester(receiver, askingAccount(audience)), isTheirs: true };
  }
  const atHome = home && (await audienceAt(store, tenant, home, hasChannel));
  return atHome && !isTried(atHome.conversation) ? { audience: atHome, isTheirs: false } : undefined;
};
