import { z } from "zod";
import { BoundedCache } from "../contract/bounded-cache.ts";
import { conversationKey, sameConversation, sameRoom } from "../contract/messages/conversation.ts";
import type { UserMessage } from "../contract/messages/user-message.ts";
import { type Clock, isoTime } from "../contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import {
  type AccountAddress,
  accountOf,
  changePerson,
  findPerson,
  type PersonAccount,
  type PersonRecord,
  sameAccount,
} from "./person-record.ts";
import { localeOfPerson, zoneOfPerson } from "./person-zone.ts";

/**
 * The person who wrote a message. Their record is written when they first write in a private conversation and when they
 * return from another one, not with every message.
 */
export const resolveAsker = async (
  { store, clock }: { store: Store; clock: Clock },
  message: UserMessage,
): Promise<PersonRecord> => {
  const address = addressOf(message);
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
    ...(account.device !== undefined && { device: account.device }),
    ...(!account.anonymous && { identified: true }),
  };
  if (known === undefined) return [...accounts, { ...address, ...reported, since: isoTime(now), joined: 0 }];
  if (isUnchanged(known, reported)) return accounts;
  return accounts.map((entry) => (entry === known ? { ...known, ...reported } : entry));
};

const isUnchanged = (
  known: PersonAccount,
  reported: Pick<PersonAccount, "name" | "locale" | "timeZone" | "device" | "identified">,
): boolean => Object.entries(reported).every(([field, value]) => known[field] === value);

/** Bounds the record on platforms that open a new private room for each visit. */
const MAX_SURFACES = 50;

/** The person of an account as this process last saw it; a hint only, because another process may have linked it since. */
export interface ResolvedAsker extends Pick<PersonRecord, "id" | "membership"> {
  /** The channel says who the account belongs to, or the person has linked it to such an account, or an operator has. */
  readonly isIdentified: boolean;
  /** The person's own setting; in a private conversation also a zone that a platform reported. */
  readonly timeZone?: string | undefined;
  /** The person's own choice, else the platform's locale of this account; in a private conversation also of another one. */
  readonly locale?: string | undefined;
}

/** Resolves the class of a speaker (R1). A link that is not sealed yet does not count. */
export const resolvedAsker = (person: PersonRecord, sender: Sender): ResolvedAsker => {
  const { id, membership, accounts } = person;
  const own = { channel: sender.conversation.channel, accountId: sender.account.id };
  const identifies = (account: PersonAccount) =>
    account.declared || (!sameAccount(account, own) && account.identified && !account.pending);
  const isIdentified = !sender.account.anonymous || accounts.some(identifies);
  return { id, membership, isIdentified, timeZone: zoneFor(person, sender), locale: localeFor(person, sender) };
};

/** A room does not learn which zone the person's other platforms report. */
const zoneFor = (person: PersonRecord, { conversation, account }: Sender): string | undefined =>
  person.timeZone ?? account.timeZone ?? (conversation.kind === "private" ? zoneOfPerson(person) : undefined);

/** Platforms do not report the locale with every message, so the one that this account reported last counts too. */
const localeFor = (person: PersonRecord, { conversation, account }: Sender): string | undefined => {
  if (person.locale !== undefined) return person.locale;
  const own = { channel: conversation.channel, accountId: account.id };
  const known = account.locale ?? accountOf(person, own)?.locale;
  return known ?? (conversation.kind === "private" ? localeOfPerson(person) : undefined);
};

type Sender = Pick<UserMessage, "tenant" | "conversation" | "account">;

const addressOf = ({ tenant, conversation, account }: Sender): AccountAddress => ({
  tenant,
  channel: conversation.channel,
  accountId: account.id,
});

export class AskerCache {
  readonly #askers = new BoundedCache<string, ResolvedAsker>(MAX_CACHED);

  last(message: Sender): ResolvedAsker | undefined {
    return this.#askers.get(nameOf(addressOf(message)));
  }

  remember(message: Sender, asker: ResolvedAsker): void {
    this.#askers.set(nameOf(addressOf(message)), asker);
  }
}

/** The day on which an account last wrote to an agent of its tenant. */
const Seen = z.looseObject({ at: z.iso.datetime() });

const DAY_MS = 24 * 3_600_000;
const seen = collection("last-seen", Seen, { ttlMs: 4_000 * DAY_MS });
const seenKey = ({ tenant, channel, accountId }: AccountAddress) => keyOf(seen, tenant, channel, accountId);

const MAX_CACHED = 20_000;

/** Records when people were last here, once a day for each account, so that unattended work of people who left can end. */
export class LastSeen {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #recorded = new BoundedCache<string, number>(MAX_CACHED);

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Whether this process has not recorded the account for a day. */
  isDue(address: AccountAddress): boolean {
    return this.#clock.now() - (this.#recorded.get(nameOf(address)) ?? 0) >= DAY_MS;
  }

  async record(address: AccountAddress): Promise<void> {
    const now = this.#clock.now();
    this.#recorded.set(nameOf(address), now);
    await this.#store.put(seenKey(address), { at: isoTime(now) });
  }

  /** The last time of any of the person's accounts, or of this one; undefined if none was ever recorded. */
  async of(address: AccountAddress, { tenant, accounts }: PersonRecord): Promise<number | undefined> {
    const addresses = [address, ...accounts.map(({ channel, accountId }) => ({ tenant, channel, accountId }))];
    const found = await Promise.all(addresses.map((each) => this.#store.get(seenKey(each))));
    const times = found.flatMap((entry) => (entry === undefined ? [] : [Date.parse(entry.value.at)]));
    return times.length === 0 ? undefined : Math.max(...times);
  }
}

const nameOf = ({ tenant, channel, accountId }: AccountAddress): string => [tenant, channel, accountId].join("\n");
