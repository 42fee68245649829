import { z } from "zod";
import { sameConversation } from "../contract/messages/conversation.ts";
import { isoTime } from "../contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import { retryConflicts } from "../contract/ports/update.ts";
import { stableId } from "../lib/index.ts";
import { detachAccount } from "./leave-person.ts";
import {
  type AccountAddress,
  accountKey,
  accountOf,
  findPerson,
  type PersonAccount,
  type PersonRecord,
  personKey,
  readPerson,
  type Surface,
  sameAccount,
  withoutAccounts,
} from "./person-record.ts";

/** A person whose accounts the configuration declares. */
export interface DeclaredPerson {
  readonly tenant: string;
  readonly name: string;
  readonly accounts: readonly DeclaredAccount[];
}

interface DeclaredAccount extends Omit<AccountAddress, "tenant"> {
  /** The private conversation of the account, if it is known before the person writes there; answers reach it at once. */
  readonly surface?: Pick<Surface, "agent" | "conversation">;
}

/** The names declared at the last start, to find people that the configuration no longer has. */
const declarations = collection("declared-people", z.looseObject({ names: z.array(z.string()) }));
const declarationKey = (tenant: string) => keyOf(declarations, tenant);

/** The id of a declared person; independent of their accounts. */
export const declaredId = (tenant: string, name: string): string => stableId("p", tenant, "declared", name);

/**
 * Reconciles the stored people with the configuration at every start (I1). A new account is linked from now on, and a
 * removed one is unlinked. Writes differences only.
 */
export const declarePeople = async (
  store: Store,
  tenant: string,
  people: readonly DeclaredPerson[],
  now: number,
): Promise<void> => {
  const before = (await store.get(declarationKey(tenant)))?.value.names ?? [];
  const names = people.map(({ name }) => name);
  const removed = before.filter((name) => !names.includes(name));
  const all = [...new Set([...before, ...names])];
  if (all.length > before.length) await store.put(declarationKey(tenant), { names: all });
  // Removals come first, because an account may move from one person to another.
  for (const name of removed) await declare(store, { tenant, name, accounts: [] }, now);
  for (const person of people) await declare(store, person, now);
};

const declare = (store: Store, declared: DeclaredPerson, now: number): Promise<void> =>
  retryConflicts(() => declareOnce(store, declared, now));

const declareOnce = async (store: Store, { tenant, name, accounts }: DeclaredPerson, now: number): Promise<void> => {
  const id = declaredId(tenant, name);
  const found = await readPerson(store, tenant, id);
  const person: PersonRecord = found?.person ?? { id, tenant, name, membership: 0, accounts: [], surfaces: [] };
  const isDeclared = (account: PersonAccount) => accounts.some((declared) => sameAccount(declared, account));
  const leaving = person.accounts.filter((account) => account.declared && !isDeclared(account));
  const coming = accounts.filter((declared) => !accountOf(person, declared));
  const isNewlyDeclared = person.accounts.some((account) => isDeclared(account) && !account.declared);
  const isUnreached = accounts.some(({ surface }) => surface && !hasSurface(person.surfaces, surface));
  if (leaving.length === 0 && coming.length === 0 && !isNewlyDeclared && !isUnreached) return;
  for (const { channel, accountId } of leaving) await detachAccount(store, person, { tenant, channel, accountId });
  const membership = person.membership + (leaving.length + coming.length > 0 || isNewlyDeclared ? 1 : 0);
  const isMoving = (account: PersonAccount) => [...leaving, ...coming].some((one) => sameAccount(one, account));
  const staying = withoutAccounts(found?.stored ?? person, isMoving);
  const arriving = await Promise.all(coming.map((account) => arrival(store, { tenant, ...account }, name)));
  const changed: PersonRecord = {
    ...staying,
    name,
    membership,
    accounts: [
      ...staying.accounts.map((account) => (isDeclared(account) ? { ...account, declared: true } : account)),
      ...arriving.map(({ account }) => ({ ...account, since: isoTime(now), joined: membership, declared: true })),
    ],
    surfaces: withDeclared([...staying.surfaces, ...arriving.flatMap(({ surfaces }) => surfaces)], accounts, now),
  };
  await store.put(personKey(tenant, id), changed, { ifRevision: found?.revision ?? 0 });
  for (const account of coming) await claim(store, { tenant, ...account }, id);
};

const hasSurface = (surfaces: readonly Surface[], { agent, conversation }: Pick<Surface, "agent" | "conversation">) =>
  surfaces.some((each) => each.agent === agent && sameConversation(each.conversation, conversation));

const withDeclared = (surfaces: readonly Surface[], accounts: readonly DeclaredAccount[], now: number): Surface[] => {
  const missing = accounts.flatMap(({ channel, accountId, surface }) =>
    surface && !hasSurface(surfaces, surface) ? [{ ...surface, channel, accountId, since: isoTime(now) }] : [],
  );
  const isReplaced = ({ conversation }: Surface) =>
    missing.some((each) => sameConversation(each.conversation, conversation));
  return [...surfaces.filter((surface) => !isReplaced(surface)), ...missing];
};

/** The stored details and conversations of an account that joins. */
const arrival = async (store: Store, address: AccountAddress, personName: string) => {
  const { person } = await findPerson(store, address);
  const { channel, accountId } = address;
  const { name = personName, locale, timeZone } = accountOf(person, address) ?? {};
  const zone = { ...(locale !== undefined && { locale }), ...(timeZone !== undefined && { timeZone }) };
  return {
    account: { channel, accountId, name, ...zone },
    surfaces: person.surfaces.filter((surface) => sameAccount(surface, address)),
  };
};

/** A declaration overrides a link: the account leaves its current person. */
const claim = async (store: Store, address: AccountAddress, personId: string): Promise<void> => {
  const index = await store.get(accountKey(address));
  await store.put(accountKey(address), { personId }, { ifRevision: index?.revision ?? 0 });
};
