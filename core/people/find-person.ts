import { RevisionConflict } from "../contract/app-error.ts";
import type { Store, Stored } from "../contract/store.ts";
import { personOf } from "./person-of.ts";
import type { AccountAddress, PersonAccount, PersonRecord } from "./person-record.ts";
import { accountKey, personKey } from "./person-record.ts";

export interface FoundPerson {
  readonly person: PersonRecord;
  /** 0: nothing is stored about them yet. */
  readonly revision: number;
}

/** Whose an account is now. One that nobody has linked or declared is a person of its own. */
export const findPerson = async (store: Store, address: AccountAddress): Promise<FoundPerson> => {
  const { tenant } = address;
  const ownId = ownIdOf(address);
  const [index, own] = await Promise.all([store.get(accountKey(address)), store.get(personKey(tenant, ownId))]);
  if (index !== undefined) {
    const stored = await readPerson(store, tenant, index.value.personId);
    if (stored && listed(stored.value, address)) return { person: stored.value, revision: stored.revision };
  }
  if (own) return { person: own.value, revision: own.revision };
  return { person: { id: ownId, tenant, membership: 0, accounts: [], surfaces: [] }, revision: 0 };
};

export const ownIdOf = ({ tenant, channel, accountId }: AccountAddress): string => personOf(tenant, channel, accountId);

/** A person by id, with the accounts that are theirs now: a link or unlink that broke off half-way does not count. */
export const readPerson = async (
  store: Store,
  tenant: string,
  personId: string,
): Promise<Stored<PersonRecord> | undefined> => {
  const stored = await store.get(personKey(tenant, personId));
  if (stored === undefined) return undefined;
  const { value: person } = stored;
  const isTheirs = async ({ channel, accountId }: PersonAccount) => {
    const address = { tenant, channel, accountId };
    return ownIdOf(address) === personId || (await store.get(accountKey(address)))?.value.personId === personId;
  };
  const theirs = await Promise.all(person.accounts.map(isTheirs));
  if (theirs.every(Boolean)) return stored;
  return { ...stored, value: withoutAccounts(person, (_, index) => !theirs[index]) };
};

/** The person without some accounts, and without the conversations of those. */
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
export const listed = ({ accounts }: PersonRecord, address: Address): PersonAccount | undefined =>
  accounts.find((account) => sameAccount(account, address));

export const sameAccount = (a: Address, b: Address): boolean => a.channel === b.channel && a.accountId === b.accountId;

/** Changes what is stored about the account's person now, whoever else writes meanwhile. The same object: no change. */
export const changePerson = async (
  store: Store,
  address: AccountAddress,
  change: (person: PersonRecord) => PersonRecord,
  found?: FoundPerson,
): Promise<PersonRecord> => {
  for (let known = found; ; known = undefined) {
    const { person, revision } = known ?? (await findPerson(store, address));
    const changed = change(person);
    if (changed === person) return person;
    try {
      await store.put(personKey(person.tenant, person.id), changed, { ifRevision: revision });
      return changed;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};
