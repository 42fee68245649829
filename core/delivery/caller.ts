import type { Conversation } from "../contract/messages/conversation.ts";
import type { Audience } from "../contract/messages/work-context.ts";
import type { Store } from "../contract/ports/store.ts";
import { findPerson, type PersonRecord, sameAccount } from "../people/index.ts";
import { askingAccount, type OwnAccount } from "./asker.ts";
import { canSee } from "./visibility.ts";

/** The person behind a command or a tool call, and the work that they may see. */
export interface Caller {
  readonly person: PersonRecord;
  /** The account that they write with comes first. */
  readonly accounts: readonly OwnAccount[];
  /** Whether this account asked for the work, or an account that was already linked with it at that time (D3). */
  readonly owns: (audience: Audience) => boolean;
}

/** The account and the conversation of an incoming message. */
export interface Writer {
  readonly tenant: string;
  readonly conversation: Conversation;
  readonly accountId: string;
}

export const callerAt = async (store: Store, { tenant, conversation, accountId }: Writer): Promise<Caller> => {
  const own: OwnAccount = { channel: conversation.channel, accountId };
  const { person } = await findPerson(store, { tenant, ...own });
  const surface = person.surfaces.find((one) => sameAccount(one, own))?.conversation;
  const viewedIn = conversation.kind === "private" ? conversation : surface;
  return {
    person,
    accounts: [own, ...person.accounts.filter((other) => !sameAccount(other, own))],
    owns: (audience) => {
      const asker = askingAccount(audience);
      if (asker !== undefined && sameAccount(asker, own)) return true;
      return viewedIn !== undefined && canSee({ audience }, viewedIn, person, () => true);
    },
  };
};
