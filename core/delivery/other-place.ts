import type { Audience } from "../contract/agent-reply.ts";
import { conversationKey, sameRoom } from "../contract/conversation.ts";
import type { Store } from "../contract/store.ts";
import type { Surface } from "../people/index.ts";
import { askerOf } from "./asker-of.ts";
import { askingAccount } from "./asking-account.ts";
import type { Destination } from "./destination.ts";
import { audienceAt } from "./destination.ts";
import type { GoneMatter } from "./gone-matter.ts";
import { mayShow } from "./may-show.ts";
import { sentFor } from "./sent-for.ts";

export interface OtherPlaces {
  readonly store: Store;
  /** The agent's home: where things go that have nobody to go to. */
  readonly home?: Destination | undefined;
  /** Whether the agent has a channel of this name. */
  readonly hasChannel: (channel: string) => boolean;
}

export interface OtherPlace {
  readonly audience: Audience;
  /** It is a private conversation of the person that the result is for. */
  readonly isTheirs: boolean;
}

/** Where it is told that a result could not get where it was to go: to its person where they were last, else at home. */
export const otherPlace = async (
  { store, home, hasChannel }: OtherPlaces,
  tenant: string,
  { audience, tried }: GoneMatter,
): Promise<OtherPlace | undefined> => {
  const isTried = (conversation: Surface["conversation"]) => tried.some((place) => sameRoom(place, conversation));
  const person = audience && (await askerOf(store, { tenant, audience }));
  const open = (person?.surfaces ?? []).filter(
    ({ channel, conversation }) =>
      audience !== undefined &&
      hasChannel(channel) &&
      !isTried(conversation) &&
      mayShow({ audience }, conversation, person, () => true),
  );
  const surface = open.find(({ conversation }) => conversationKey(conversation) === person?.lastActive) ?? open.at(-1);
  if (audience !== undefined && person !== undefined && surface !== undefined) {
    const { conversation, accountId } = surface;
    const { id: personId, membership } = person;
    const told = { conversation, personId, accountId, membership };
    return { audience: sentFor(told, askingAccount(audience)), isTheirs: true };
  }
  const atHome = home && (await audienceAt(store, tenant, home, hasChannel));
  return atHome && !isTried(atHome.conversation) ? { audience: atHome, isTheirs: false } : undefined;
};
