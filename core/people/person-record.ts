import { z } from "zod";
import { BoundedCache } from "../contract/bounded-cache.ts";
import { Conversation } from "../contract/messages/conversation.ts";
import { DeliveryPolicy, QuietHours } from "../contract/messages/delivery-policy.ts";
import type { Audience } from "../contract/messages/work-context.ts";
import { collection, keyOf, prefixOf, type Store } from "../contract/ports/store.ts";
import { LastRead, retryConflicts } from "../contract/ports/update.ts";
import type { Texts } from "../contract/texts/texts.ts";
import { cutAtGraphemes, stableId } from "../lib/index.ts";

/** A person's account on a channel. */
export const PersonAccount = z.looseObject({
  channel: z.string(),
  accountId: z.string(),
  name: z.string(),
  /** The time at which it became this person's. */
  since: z.iso.datetime(),
  /** The person's `membership` at which it joined; results of earlier work never reach it (D3). */
  joined: z.number().int().nonnegative(),
  /** The link that brought it here. */
  linkId: z.string().optional(),
  /** The link is not sealed yet: a concurrent link may still move the account. */
  pending: z.boolean().optional(),
  /** Declared in the configuration, so `unlink` does not remove it. */
  declared: z.boolean().optional(),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
  /** The readable name of the device; only for accounts without an identity. */
  device: z.string().optional(),
  /** A platform or a signed token says whose it is (R1). Absent: unknown, or anonymous. */
  identified: z.boolean().optional(),
});
export type PersonAccount = z.infer<typeof PersonAccount>;

/**
 * The index entry that assigns an account to a person. It is effective only if the person's record lists the account
 * too, and vice versa: writing or deleting this key links or unlinks the account atomically.
 */
const AccountRecord = z.looseObject({
  personId: z.string(),
  /**
   * The account's `joined` in that record: the entry has no effect after the account has left and joined again. Absent
   * for a declared account and in the data of 0.1.0: any value counts.
   */
  joined: z.number().int().nonnegative().optional(),
});
export type AccountRecord = z.infer<typeof AccountRecord>;

/** A private conversation that the person has written in: one per room, with the thread of the last message. */
export const Surface = z.looseObject({
  conversation: Conversation,
  channel: z.string(),
  accountId: z.string(),
  /** The agent in that conversation. */
  agent: z.string(),
  since: z.iso.datetime(),
});
export type Surface = z.infer<typeof Surface>;

/** The human behind one or more accounts. Written by compare-and-set only. */
export const PersonRecord = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  name: z.string().optional(),
  /** Increases with every account that joins or leaves. Orders work and links without relying on clocks. */
  membership: z.number().int().nonnegative(),
  accounts: z.array(PersonAccount),
  surfaces: z.array(Surface),
  /** Accounts that a link has removed, with their next index entry: any process may write it to complete the move. */
  moved: z
    .array(z.looseObject({ channel: z.string(), accountId: z.string(), joined: z.number(), to: AccountRecord }))
    .optional(),
  /** The key of the private conversation with the latest message. */
  lastActive: z.string().optional(),
  policy: DeliveryPolicy.optional(),
  quiet: z.union([z.literal("off"), QuietHours]).optional(),
  /** The person's own setting; it overrides the zones that platforms report. */
  timeZone: z.string().optional(),
  /** The person's own choice of language; it overrides the locales that platforms report. */
  locale: z.string().optional(),
});
export type PersonRecord = z.infer<typeof PersonRecord>;

const people = collection("people", PersonRecord);
export const personKey = (tenant: string, personId: string) => keyOf(people, tenant, personId);
export const peopleOf = (tenant: string) => prefixOf(people, tenant);

export interface AccountAddress {
  readonly tenant: string;
  readonly channel: string;
  readonly accountId: string;
}

const accounts = collection("accounts", AccountRecord);
export const accountKey = ({ tenant, channel, accountId }: AccountAddress) =>
  keyOf(accounts, tenant, channel, accountId);

type Named = Pick<PersonAccount, "name" | "channel"> & { readonly device?: string | undefined };

/** An account as text for other people. Names come from platforms, so markup and punctuation are removed. */
export const showAccount = ({ name, channel, device }: Named, { linking }: Texts): string => {
  const on = device === undefined ? channel : `${channel} (${plainName(device)})`;
  return linking.account(plainName(name) || linking.aPerson, on);
};

export const showAccounts = (accounts: readonly Named[], texts: Texts): string => {
  const shown = accounts.map((account) => showAccount(account, texts));
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} ${texts.linking.and} ${last}`;
};

const plainName = (name: string): string => cutAtGraphemes(name.replace(/[^\p{L}\p{M}\p{N}.'-]+/gu, " ").trim(), 40);

export interface FoundPerson {
  readonly person: PersonRecord;
  /** The stored record, with accounts that are not or not yet effective. Writes start from it, so that none is lost. */
  readonly stored: PersonRecord;
  /** 0 if no record is stored yet. */
  readonly revision: number;
}

/** Every message looks up its person, and the record rarely changes. */
const lastRead = new LastRead<PersonRecord>();

/** The current owner of an account. An account that is neither linked nor declared is a separate person. */
export const findPerson = async (store: Store, address: AccountAddress): Promise<FoundPerson> => {
  const { tenant } = address;
  const ownId = ownIdOf(address);
  const [index, own] = await Promise.all([
    store.get(accountKey(address)),
    lastRead.get(store, personKey(tenant, ownId)),
  ]);
  if (index !== undefined) {
    const found = await readPerson(store, tenant, index.value.personId);
    if (found && accountOf(found.person, address)) return found;
  }
  const person = own?.value ?? { id: ownId, tenant, membership: 0, accounts: [], surfaces: [] };
  return { person, stored: person, revision: own?.revision ?? 0 };
};

export const ownIdOf = ({ tenant, channel, accountId }: AccountAddress): string =>
  unlinkedPersonId(tenant, channel, accountId);

/** A person by id, with their effective accounts only: an interrupted link or unlink has no effect. */
export const readPerson = async (store: Store, tenant: string, personId: string): Promise<FoundPerson | undefined> => {
  const found = await lastRead.get(store, personKey(tenant, personId));
  if (found === undefined) return undefined;
  const { value: stored, revision } = found;
  const isEffective = async ({ channel, accountId, joined }: PersonAccount) => {
    const address = { tenant, channel, accountId };
    if (ownIdOf(address) === personId) return true;
    const index = (await store.get(accountKey(address)))?.value;
    return index?.personId === personId && (index.joined ?? joined) === joined;
  };
  const effective = await Promise.all(stored.accounts.map(isEffective));
  const person = effective.every(Boolean) ? stored : withoutAccounts(stored, (_, index) => !effective[index]);
  return { person, stored, revision };
};

/** The person without some accounts and without the conversations of these accounts. */
export const withoutAccounts = (
  person: PersonRecord,
  isRemoved: (account: PersonAccount, index: number) => boolean,
): PersonRecord => {
  const accounts = person.accounts.filter((account, index) => !isRemoved(account, index));
  const surfaces = person.surfaces.filter((surface) => accounts.some((account) => sameAccount(account, surface)));
  return { ...person, accounts, surfaces };
};

type Address = Pick<AccountAddress, "channel" | "accountId">;

/** The person's account with this address. */
export const accountOf = ({ accounts }: PersonRecord, address: Address): PersonAccount | undefined =>
  accounts.find((account) => sameAccount(account, address));

export const sameAccount = (a: Address, b: Address): boolean => a.channel === b.channel && a.accountId === b.accountId;

/** Updates the account's person by compare-and-set; writes nothing if `change` returns the same object. */
export const changePerson = (
  store: Store,
  address: AccountAddress,
  change: (person: PersonRecord) => PersonRecord,
  found?: FoundPerson,
): Promise<PersonRecord> =>
  // A link may move the account to another person, so each attempt looks for the key again.
  retryConflicts(async (attempt) => {
    const known = attempt === 1 ? found : undefined;
    const { stored, revision } = known ?? (await findPerson(store, address));
    const changed = change(stored);
    if (changed === stored) return stored;
    await store.put(personKey(stored.tenant, stored.id), changed, { ifRevision: revision });
    return changed;
  });

/** The id of the person that an unlinked account stands for. */
export const unlinkedPersonId = (tenant: string, channel: string, accountId: string): string => {
  const account = JSON.stringify([tenant, channel, accountId]);
  const known = ids.get(account);
  if (known !== undefined) return known;
  const id = stableId("p", tenant, channel, accountId);
  ids.set(account, id);
  return id;
};

/** One message needs the same id several times. */
const ids = new BoundedCache<string, string>(10_000);

/** The newest private conversation of an account. */
export const privateConversationOf = async (
  store: Store,
  address: AccountAddress,
): Promise<Conversation | undefined> => {
  const { person } = await findPerson(store, address);
  return person.surfaces.findLast((surface) => sameAccount(surface, address))?.conversation;
};

/** An account and its channel. */
export interface OwnAccount {
  readonly channel: string;
  readonly accountId: string;
}

/** The account that asked for the work, wherever the answer goes; undefined if no account asked. */
export const askingAccount = ({ conversation, accountId, askedBy }: Audience): OwnAccount | undefined =>
  askedBy ?? (accountId === undefined ? undefined : { channel: conversation.channel, accountId });
