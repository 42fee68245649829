import { BoundedCache } from "../contract/bounded-cache.ts";
import { conversationKey, sameConversation, sameRoom } from "../contract/messages/conversation.ts";
import type { UserMessage } from "../contract/messages/user-message.ts";
import { type Clock, isoTime } from "../contract/ports/clock.ts";
import type { Store } from "../contract/ports/store.ts";
import { changePerson, findPerson, type PersonAccount, type PersonRecord, sameAccount } from "./person-record.ts";

/**
 * The person who wrote a message. Their record is written when they first write in a private conversation and when they
 * return from another one, not with every message.
 */
export const resolveAsker = async (
  { store, clock }: { store: Store; clock: Clock },
  message: UserMessage,
): Promise<PersonRecord> => {
  const address = { tenant: message.tenant, channel: message.conversation.channel, accountId: message.account.id };
  const found = await findPerson(store, address);
  return changePerson(store, address, (person) => noteSurface(person, message, clock.now()), found);
};

type Message = Pick<UserMessage, "agent" | "conversation" | "account">;

/**
 * Adds the conversation and the account details of a message to the person. Most messages change nothing: then it
 * returns the same object, and nothing is written.
 */
export const noteSurface = (person: PersonRecord, message: Message, now: number): PersonRecord => {
  const { agent, conversation, account } = message;
  if (conversation.kind === "shared") return person;
  const address = { channel: conversation.channel, accountId: account.id };
  const accounts = noteAccount(person, message, now);
  const isKnown = person.surfaces.some(
    (surface) => sameAccount(surface, address) && sameConversation(surface.conversation, conversation),
  );
  const lastActive = conversationKey(conversation);
  if (isKnown && accounts === person.accounts && lastActive === person.lastActive) return person;
  const others = person.surfaces.filter((surface) => isKnown || !sameRoom(surface.conversation, conversation));
  const surfaces = isKnown ? others : [...others, { conversation, ...address, agent, since: isoTime(now) }];
  return { ...person, accounts, surfaces: surfaces.slice(-MAX_SURFACES), lastActive };
};

/** Updates the account details from the platform and keeps those that the message leaves out. */
const noteAccount = (
  { accounts }: PersonRecord,
  { conversation, account }: Message,
  now: number,
): PersonRecord["accounts"] => {
  const address = { channel: conversation.channel, accountId: account.id };
  const known = accounts.find((entry) => sameAccount(entry, address));
  const reported = {
    name: account.name,
    ...(account.locale !== undefined && { locale: account.locale }),
    ...(account.timeZone !== undefined && { timeZone: account.timeZone }),
    ...(!account.anonymous && { identified: true }),
  };
  if (known === undefined) return [...accounts, { ...address, ...reported, since: isoTime(now), joined: 0 }];
  if (isUnchanged(known, reported)) return accounts;
  return accounts.map((entry) => (entry === known ? { ...known, ...reported } : entry));
};

const isUnchanged = (
  known: PersonAccount,
  reported: Pick<PersonAccount, "name" | "locale" | "timeZone" | "identified">,
): boolean => Object.entries(reported).every(([field, value]) => known[field] === value);

/** Bounds the record on platforms that open a new private room for each visit. */
const MAX_SURFACES = 50;

/** The person of an account as this process last saw it; a hint only, because another process may have linked it since. */
export interface ResolvedAsker extends Pick<PersonRecord, "id" | "membership"> {
  /** The channel says who the account belongs to, or the person has linked it to such an account, or an operator has. */
  readonly isIdentified: boolean;
}

/** Resolves the class of a speaker (R1). A link that is not sealed yet does not count. */
export const resolvedAsker = ({ id, membership, accounts }: PersonRecord, sender: Sender): ResolvedAsker => {
  const own = { channel: sender.conversation.channel, accountId: sender.account.id };
  const identifies = (account: PersonAccount) =>
    account.declared || (!sameAccount(account, own) && account.identified && !account.pending);
  return { id, membership, isIdentified: !sender.account.anonymous || accounts.some(identifies) };
};

type Sender = Pick<UserMessage, "tenant" | "conversation" | "account">;

export class AskerCache {
  readonly #askers = new BoundedCache<string, ResolvedAsker>(MAX_CACHED);

  last(message: Sender): ResolvedAsker | undefined {
    return this.#askers.get(nameOf(message));
  }

  remember(message: Sender, asker: ResolvedAsker): void {
    this.#askers.set(nameOf(message), asker);
  }
}

const nameOf = ({ tenant, conversation, account }: Sender): string =>
  [tenant, conversation.channel, account.id].join("\n");

const MAX_CACHED = 20_000;
