import type { Clock } from "../contract/clock.ts";
import type { Store } from "../contract/store.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { changePerson, findPerson } from "./find-person.ts";
import { noteSurface } from "./note-surface.ts";
import type { PersonRecord } from "./person-record.ts";

/**
 * Who wrote a message. That they can be reached there is stored when they first write in private, and again when they
 * come back from elsewhere: never with every message.
 */
export const resolveAsker = async (
  { store, clock }: { store: Store; clock: Clock },
  message: UserMessage,
): Promise<PersonRecord> => {
  const address = { tenant: message.tenant, channel: message.conversation.channel, accountId: message.account.id };
  const found = await findPerson(store, address);
  return changePerson(store, address, (person) => noteSurface(person, message, clock.now()), found);
};
