import type { Conversation } from "../contract/conversation.ts";
import { LastRead } from "../contract/last-read.ts";
import type { Store } from "../contract/store.ts";
import { retryConflicts } from "../contract/update.ts";
import { stableId } from "../lib/index.ts";
import { type AccountAddress, accountKey, type PersonAccount, type PersonRecord, personKey } from "./person-record.ts";

export interface FoundPerson {
  readonly person: PersonRecord;
  /** The stored record, with accounts that are not or not yet effective. Writes start from it, so that none is lost. */
  readonly stored: PersonRecord;
  /** 0 if no record is stored yet. */
  readonly revision: number;
}

/** Every message looks up its person, and the record rarely changes. */
const people = new LastRead<PersonRecord>();

/** The current owner of an account. An account that is neither linked nor declared is a person of its own. */
export const findPerson = async (store: Store, address: AccountAddress): Promise<FoundPerson> => {
  const { tenant } = address;
  const ownId = ownIdOf(address);
  const [index, own] = await Promise.all([store.get(accountKey(address)), people.get(store, personKey(tenant, ownId))]);
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
  const found = await people.get(store, personKey(tenant, personId));
  if (found === undefined) return undefined;
  const { value: stored, revision } = found;
  const isTheirs = async ({ channel, accountId }: PersonAccount) => {
    const address = { tenant, channel, accountId };
    return ownIdOf(address) === personId || (await store.get(accountKey(address)))?.value.personId === personId;
  };
  const theirs = await Promise.all(stored.accounts.map(isTheirs));
  const person = theirs.every(Boolean) ? stored : withoutAccounts(stored, (_, index) => !theirs[index]);
  return { person, stored, revision };
};

/** The person without some accounts and without the conversations of these accounts. */
export const withoutAccounts = (
  person: PersonRecord,
  isGone: (account: PersonAccount, index: number) => boolean,
): PersonRecord => {
  const accounts = person.accounts.filter((account, index) => !isGone(account, index));
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
  if (ids.size >= MAX_CACHED_IDS) ids.clear();
  ids.set(account, id);
  return id;
};

/** One message needs the same id several times. */
const ids = new Map<string, string>();
const MAX_CACHED_IDS = 10_000;

/** The newest private conversation of an account. */
export const privateConversationOf = async (
  store: Store,
  address: AccountAddress,
): Promise<Conversation | undefined> => {
  const { person } = await findPerson(store, address);
  return person.surfaces.findLast((surface) => sameAccount(surface, address))?.conversation;
};
