import type { Store } from "../contract/store.ts";
import { changePerson, findPerson, listed, ownIdOf, sameAccount, withoutAccounts } from "./find-person.ts";
import type { AccountAddress, PersonRecord } from "./person-record.ts";
import { accountKey, personKey } from "./person-record.ts";

/**
 * Takes an account out of its person; from then on it is its own. What was begun before reaches it no more, nor what
 * it began the others.
 */
export const leavePerson = async (store: Store, address: AccountAddress): Promise<void> => {
  const { person } = await findPerson(store, address);
  if (person.accounts.length < 2) return;
  await letGo(store, person, address);
  await forget(store, person, address);
};

/** Where the account can be reached goes with it. Deleting its index is the moment at which it has left. */
export const letGo = async (store: Store, person: PersonRecord, address: AccountAddress): Promise<void> => {
  const index = await store.get(accountKey(address));
  if (index?.value.personId !== person.id) return;
  const id = ownIdOf(address);
  const own = await store.get(personKey(address.tenant, id));
  const account = listed(person, address);
  const kept: PersonRecord = {
    ...(own?.value ?? { id, tenant: address.tenant }),
    membership: 0,
    accounts: account ? [{ ...account, joined: 0, declared: false }] : [],
    surfaces: person.surfaces.filter((surface) => sameAccount(surface, address)),
  };
  await store.put(personKey(address.tenant, id), kept, { ifRevision: own?.revision ?? 0 });
  await store.delete(accountKey(address), { ifRevision: index.revision });
};

/** What is left behind is not counted any more, so that this may fail: the next change of the record cleans it up. */
const forget = async (store: Store, { tenant, id, accounts }: PersonRecord, gone: AccountAddress): Promise<void> => {
  const staying = accounts.find((account) => !sameAccount(account, gone));
  if (staying === undefined) return;
  await changePerson(store, { tenant, ...staying }, (person) => {
    if (person.id !== id) return person;
    const left = withoutAccounts(person, (account) => sameAccount(account, gone));
    return { ...left, membership: person.membership + 1 };
  });
};
