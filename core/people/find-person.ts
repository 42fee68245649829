import { RevisionConflict } from "../contract/app-error.ts";
import { LastRead } from "../contract/last-read.ts";
import type { Store } from "../contract/store.ts";
import { personOf } from "./person-of.ts";
import type { AccountAddress, PersonAccount, PersonRecord } from "./person-record.ts";
import { accountKey, personKey } from "./person-record.ts";

export interface FoundPerson {
  readonly person: PersonRecord;
  /** As it is stored, with accounts that do not count, or not yet. What is written is made of it, so none gets lost. */
  readonly stored: PersonRecord;
  /** 0: nothing is stored about them yet. */
  readonly revision: number;
}

/** Every message asks for its person, and hardly any has changed since. */
const people = new LastRead<PersonRecord>();

/** Whose an account is now. One that nobody has linked or declared is a person of its own. */
export const findPerson = async (store: Store, address: AccountAddress): Promise<FoundPerson> => {
  const { tenant } = address;
  const ownId = ownIdOf(address);
  const [index, own] = await Promise.all([store.get(accountKey(address)), people.get(store, personKey(tenant, ownId))]);
  if (index !== undefined) {
    const found = await readPerson(store, tenant, index.value.personId);
    if (found && listed(found.person, address)) return found;
  }
  const person = own?.value ?? { id: ownId, tenant, membership: 0, accounts: [], surfaces: [] };
  return { person, stored: person, revision: own?.revision ?? 0 };
};

export const ownIdOf = ({ tenant, channel, accountId }: AccountAddress): string => personOf(tenant, channel, accountId);

/** A person by id, with the accounts that are theirs now: a link or unlink that broke off half-way does not count. */
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
    const { stored, revision } = known ?? (await findPerson(store, address));
    const changed = change(stored);
    if (changed === stored) return stored;
    try {
      await store.put(personKey(stored.tenant, stored.id), changed, { ifRevision: revision });
      return changed;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};
