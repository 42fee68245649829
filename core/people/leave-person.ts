import type { Store } from "../contract/store.ts";
import { changePerson, findPerson, sameAccount, withoutAccounts } from "./find-person.ts";
import type { AccountAddress, PersonRecord } from "./person-record.ts";
import { accountKey } from "./person-record.ts";

/**
 * Takes an account out of its person; from then on it is its own. What was begun before reaches it no more, nor what
 * it began the others.
 */
export const leavePerson = async (store: Store, address: AccountAddress): Promise<void> => {
  const { person } = await findPerson(store, address);
  if (person.accounts.length < 2) return;
  const index = await store.get(accountKey(address));
  // The moment at which it has left.
  if (index !== undefined) await store.delete(accountKey(address), { ifRevision: index.revision });
  await forget(store, person, address);
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
