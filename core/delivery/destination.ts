import { z } from "zod";
import { Conversation, conversationKey } from "../contract/messages/conversation.ts";
import type { Audience } from "../contract/messages/work-context.ts";
import type { Store } from "../contract/ports/store.ts";
import { Name } from "../contract/ports/token.ts";
import { findPerson } from "../people/index.ts";

/** The target of a proactive message: a conversation, or the last active conversation of a person. */
export const Destination = z.union([
  z.looseObject({ conversation: Conversation, accountId: z.string().optional() }),
  z.looseObject({ person: z.array(z.looseObject({ channel: z.string(), accountId: z.string() })) }),
]);
export type Destination = z.infer<typeof Destination>;

/**
 * The audience of a destination, resolved with today's accounts (D3). Undefined: the channel no longer exists, or the
 * person has not written in private on any channel.
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

/** The configured target for results that have no person to go to. */
export const Home = z.union([
  z.strictObject({ person: z.string().min(1).describe("Name of a person of `people`.") }),
  z.strictObject({
    channel: Name.describe("Name of the channel."),
    workspace: z
      .string()
      .min(1)
      .optional()
      .describe("Id of the workspace on the platform, if the channel has several."),
    room: z.string().min(1).describe("Id of the room on the platform."),
    thread: z.string().min(1).optional().describe("Id of a thread in the room."),
  }),
]);
export type Home = z.infer<typeof Home>;
