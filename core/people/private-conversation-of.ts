import type { Conversation } from "../contract/conversation.ts";
import type { Store } from "../contract/store.ts";
import { findPerson, sameAccount } from "./find-person.ts";
import type { AccountAddress } from "./person-record.ts";

/** Where an account has written in private before; the newest place if there are several. */
export const privateConversationOf = async (
  store: Store,
  address: AccountAddress,
): Promise<Conversation | undefined> => {
  const { person } = await findPerson(store, address);
  return person.surfaces.findLast((surface) => sameAccount(surface, address))?.conversation;
};
