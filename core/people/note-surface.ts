import { isoTime } from "../contract/clock.ts";
import { conversationKey, sameConversation, sameRoom } from "../contract/conversation.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { sameAccount } from "./find-person.ts";
import type { PersonAccount, PersonRecord } from "./person-record.ts";

type Written = Pick<UserMessage, "agent" | "conversation" | "account">;

/**
 * The person as they are known after they wrote something: where they can be reached, and where they were last.
 * Most messages change nothing; then it is the same object, and nothing is written.
 */
export const noteSurface = (person: PersonRecord, written: Written, now: number): PersonRecord => {
  const { agent, conversation, account } = written;
  if (conversation.kind === "shared") return person;
  const address = { channel: conversation.channel, accountId: account.id };
  const accounts = noteAccount(person, written, now);
  const isKnown = person.surfaces.some(
    (surface) => sameAccount(surface, address) && sameConversation(surface.conversation, conversation),
  );
  const lastActive = conversationKey(conversation);
  if (isKnown && accounts === person.accounts && lastActive === person.lastActive) return person;
  const others = person.surfaces.filter((surface) => isKnown || !sameRoom(surface.conversation, conversation));
  const surfaces = isKnown ? others : [...others, { conversation, ...address, agent, since: isoTime(now) }];
  return { ...person, accounts, surfaces: surfaces.slice(-MOST_SURFACES), lastActive };
};

/** What the platform tells of the account now. What it leaves out is not forgotten. */
const noteAccount = (
  { accounts }: PersonRecord,
  { conversation, account }: Written,
  now: number,
): PersonRecord["accounts"] => {
  const address = { channel: conversation.channel, accountId: account.id };
  const known = accounts.find((entry) => sameAccount(entry, address));
  const told = {
    name: account.name,
    ...(account.locale !== undefined && { locale: account.locale }),
    ...(account.timeZone !== undefined && { timeZone: account.timeZone }),
  };
  if (known === undefined) return [...accounts, { ...address, ...told, since: isoTime(now), joined: 0 }];
  if (saysTheSame(known, told)) return accounts;
  return accounts.map((entry) => (entry === known ? { ...known, ...told } : entry));
};

const saysTheSame = (known: PersonAccount, told: Pick<PersonAccount, "name" | "locale" | "timeZone">): boolean =>
  Object.entries(told).every(([field, value]) => known[field] === value);

/** Far more than anybody has; a platform that makes a new private room each time must not fill the record. */
const MOST_SURFACES = 50;
