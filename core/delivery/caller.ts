import type { Audience } from "../contract/agent-reply.ts";
import type { Conversation } from "../contract/conversation.ts";
import type { Store } from "../contract/store.ts";
import { findPerson, type PersonRecord } from "../people/index.ts";
import { askingAccount } from "./asking-account.ts";
import { mayShow } from "./may-show.ts";

/** An account, by the channel it is on. */
export interface OwnAccount {
  readonly channel: string;
  readonly accountId: string;
}

/** Who wants something, and what they may be told of. */
export interface Caller {
  readonly person: PersonRecord;
  /** The one they write with first. */
  readonly accounts: readonly OwnAccount[];
  /** Whether work with this audience is theirs: begun with this account, or with one that was theirs as well by then (D3). */
  readonly owns: (audience: Audience) => boolean;
}

/** Somebody who writes in a conversation, as their accounts are now. */
export interface Writer {
  readonly tenant: string;
  readonly conversation: Conversation;
  readonly accountId: string;
}

export const callerAt = async (store: Store, { tenant, conversation, accountId }: Writer): Promise<Caller> => {
  const own: OwnAccount = { channel: conversation.channel, accountId };
  const { person } = await findPerson(store, { tenant, ...own });
  const isOwn = (one: OwnAccount) => one.channel === own.channel && one.accountId === own.accountId;
  const surface = person.surfaces.find(isOwn)?.conversation;
  const place = conversation.kind === "private" ? conversation : surface;
  return {
    person,
    accounts: [own, ...person.accounts.filter((other) => !isOwn(other))],
    owns: (audience) => {
      const asker = askingAccount(audience);
      if (asker !== undefined && isOwn(asker)) return true;
      return place !== undefined && mayShow({ audience }, place, person, () => true);
    },
  };
};
