import { z } from "zod";
import type { Audience } from "../contract/agent-reply.ts";
import { Conversation, conversationKey } from "../contract/conversation.ts";
import type { Store } from "../contract/store.ts";
import { findPerson } from "../people/index.ts";

/** Where something goes that is not bound to a message: a conversation, or wherever a person was last. */
export const Destination = z.union([
  z.looseObject({ conversation: Conversation, accountId: z.string().optional() }),
  z.looseObject({ person: z.array(z.looseObject({ channel: z.string(), accountId: z.string() })) }),
]);
export type Destination = z.infer<typeof Destination>;

/**
 * Who sees it, as people's accounts are now (D3). Undefined: there is no such channel any more, or the person has not
 * written in private on any.
 */
export const audienceAt = async (
  store: Store,
  tenant: string,
  destination: Destination,
  hasChannel: (channel: string) => boolean = () => true,
): Promise<Audience | undefined> => {
  if ("conversation" in destination) {
    const { conversation, accountId } = destination as Extract<Destination, { conversation: unknown }>;
    if (!hasChannel(conversation.channel)) return undefined;
    if (accountId === undefined) return { conversation, personId: null };
    const { person } = await findPerson(store, { tenant, channel: conversation.channel, accountId });
    return { conversation, personId: person.id, accountId, membership: person.membership };
  }
  for (const account of (destination as Extract<Destination, { person: unknown }>).person) {
    const { person } = await findPerson(store, { tenant, ...account });
    const isLast = (each: Conversation) => conversationKey(each) === person.lastActive;
    const surfaces = person.surfaces.filter(({ channel }) => hasChannel(channel));
    const surface = surfaces.find(({ conversation }) => isLast(conversation)) ?? surfaces.at(-1);
    if (surface === undefined) continue;
    const { conversation, accountId } = surface;
    return { conversation, personId: person.id, accountId, membership: person.membership };
  }
  return undefined;
};
