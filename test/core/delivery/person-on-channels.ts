import { type Conversation, conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { accountKey, type PersonRecord, personKey } from "../../../core/people/person-record.ts";

const SINCE = "2026-01-01T00:00:00.000Z";

export const privateOn = (channel: string, room = "dm"): Conversation => ({ channel, room, kind: "private" });
export const roomOn = (channel: string, room = "harbour"): Conversation => ({ channel, room, kind: "shared" });

/** Stores a person "p" with the account "ann" and a private conversation on each channel; last active on the first. */
export const storePerson = async (
  store: Store,
  channels: readonly string[],
  rest: Partial<PersonRecord> = {},
): Promise<PersonRecord> => {
  const person: PersonRecord = {
    id: "p",
    tenant: "default",
    membership: 3,
    accounts: channels.map((channel) => ({ channel, accountId: "ann", name: "Ann", since: SINCE, joined: 1 })),
    surfaces: channels.map((channel) => ({
      conversation: privateOn(channel),
      channel,
      accountId: "ann",
      agent: "mooring",
      since: SINCE,
    })),
    lastActive: conversationKey(privateOn(channels[0] ?? "")),
    ...rest,
  };
  await store.put(personKey("default", person.id), person);
  for (const { channel, accountId } of person.accounts) {
    await store.put(accountKey({ tenant: "default", channel, accountId }), { personId: person.id });
  }
  return person;
};
