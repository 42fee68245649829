import { RevisionConflict } from "../contract/app-error.ts";
import type { Store } from "../contract/store.ts";
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
  const { tenant, channel, accountId } = address;
  const ownId = personOf(tenant, channel, accountId);
  const [index, own] = await Promise.all([store.get(accountKey(address)), store.get(personKey(tenant, ownId))]);
  if (index !== undefined) {
    const stored = await store.get(personKey(tenant, index.value.personId));
    if (stored && listed(stored.value, address)) return { person: stored.value, revision: stored.revision };
  }
  if (own) return { person: own.value, revision: own.revision };
  return { person: { id: ownId, tenant, membership: 0, accounts: [], surfaces: [] }, revision: 0 };
};

/** The person's account with this address. */
export const listed = (
  { accounts }: PersonRecord,
  address: Pick<AccountAddress, "channel" | "accountId">,
): PersonAccount | undefined => accounts.find((account) => sameAccount(account, address));

export const sameAccount = (
  a: Pick<AccountAddress, "channel" | "accountId">,
  b: Pick<AccountAddress, "channel" | "accountId">,
): boolean => a.channel === b.channel && a.accountId === b.accountId;

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
