import type { Store } from "../contract/ports/store.ts";
import {
  type AccountAddress,
  accountKey,
  accountOf,
  changePerson,
  findPerson,
  ownIdOf,
  type PersonRecord,
  personKey,
  sameAccount,
  withoutAccounts,
} from "./person-record.ts";

/**
 * Unlinks an account from its person. It no longer gets results of earlier work of the other accounts, and they no longer
 * get results of its work.
 */
export const leavePerson = async (store: Store, address: AccountAddress): Promise<void> => {
  const { person } = await findPerson(store, address);
  if (person.accounts.length < 2) return;
  await detachAccount(store, person, address);
  await removeAccount(store, person, address);
};

/** Moves the account's conversations to a separate person. Deleting the index entry unlinks the account. */
export const detachAccount = async (store: Store, person: PersonRecord, address: AccountAddress): Promise<void> => {
  const index = await store.get(accountKey(address));
  if (index?.value.personId !== person.id) return;
  const id = ownIdOf(address);
  const own = await store.get(personKey(address.tenant, id));
  const account = accountOf(person, address);
  const detached: PersonRecord = {
    ...(own?.value ?? { id, tenant: address.tenant }),
    membership: 0,
    accounts: account ? [{ ...account, joined: 0, declared: false }] : [],
    surfaces: person.surfaces.filter((surface) => sameAccount(surface, address)),
  };
  await store.put(personKey(address.tenant, id), detached, { ifRevision: own?.revision ?? 0 });
  await store.delete(accountKey(address), { ifRevision: index.revision });
};

/** Cleans up the previous person. The leftovers have no effect, so the next change of the record may do it as well. */
const removeAccount = async (
  store: Store,
  { tenant, id, accounts }: PersonRecord,
  left: AccountAddress,
): Promise<void> => {
  const staying = accounts.find((account) => !sameAccount(account, left));
  if (staying === undefined) return;
  await changePerson(store, { tenant, ...staying }, (person) => {
    if (person.id !== id) return person;
    const remaining = withoutAccounts(person, (account) => sameAccount(account, left));
    return { ...remaining, membership: person.membership + 1 };
  });
};
