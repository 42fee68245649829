import { RevisionConflict } from "../../contract/app-error.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { Store } from "../../contract/ports/store.ts";
import { stableId } from "../../lib/index.ts";
import type { AccountAddress, FoundPerson, PersonAccount, PersonRecord, Surface } from "../person-record.ts";
import {
  accountKey,
  accountOf,
  findPerson,
  ownIdOf,
  personKey,
  readPerson,
  sameAccount,
  withoutAccounts,
} from "../person-record.ts";
import type { LinkSide } from "./link-record.ts";

interface Joining {
  readonly linkId: string;
  readonly tenant: string;
  readonly sides: readonly [LinkSide, LinkSide];
  readonly now: number;
}

interface Member {
  readonly address: AccountAddress;
  readonly name: string;
  readonly found: FoundPerson;
}

/** Whether a person has several accounts or declared ones. Such a person takes in accounts but never joins another. */
export const isTaken = ({ accounts }: PersonRecord): boolean =>
  accounts.filter(({ pending }) => pending !== true).length > 1 || accounts.some(({ declared }) => declared === true);

/**
 * Merges the people of two accounts. A single account moves to the other's person; if both people have several accounts,
 * the answer is "taken". Every step is idempotent; an account has moved once its index entry says so. Until the link is
 * sealed, a concurrent link may move either account: this one then fails with a conflict and is retried.
 */
export const joinPeople = async (store: Store, joining: Joining): Promise<"joined" | "taken"> => {
  const [a, b] = await Promise.all(joining.sides.map((side) => memberOf(store, joining.tenant, side)));
  if (a === undefined || b === undefined) return "taken";
  if (!areOne(a, b)) {
    if (isTaken(a.found.person) && isTaken(b.found.person)) return "taken";
    const [host, guest] = isTaken(b.found.person) || (isSingle(a) && !isSingle(b)) ? [b, a] : [a, b];
    if (isSingle(host)) await moveTo(store, joining, await newPerson(store, joining, host), [host, guest]);
    else await moveTo(store, joining, host.found, [guest]);
  }
  await seal(store, joining, [a.address, b.address]);
  return "joined";
};

const memberOf = async (store: Store, tenant: string, { channel, accountId, name }: LinkSide): Promise<Member> => {
  const address = { tenant, channel, accountId };
  return { address, name, found: await findPerson(store, address) };
};

/** Also if a link has joined them between the two reads: to move one again would undo its seal. */
const areOne = (a: Member, b: Member): boolean =>
  a.found.person.id === b.found.person.id ||
  accountOf(a.found.person, b.address) !== undefined ||
  accountOf(b.found.person, a.address) !== undefined;

const isSingle = ({ address, found }: Member): boolean => found.person.id === ownIdOf(address);

type StoredPerson = Pick<FoundPerson, "stored" | "revision">;

/** The new person of two single accounts. It has its own id, because either account may leave again. */
const newPerson = async (store: Store, { linkId, tenant }: Joining, host: Member): Promise<StoredPerson> => {
  const id = stableId("p", tenant, "link", linkId);
  const begun = await readPerson(store, tenant, id);
  if (begun !== undefined) return begun;
  const { policy, quiet, lastActive } = host.found.person;
  const stored: PersonRecord = {
    id,
    tenant,
    membership: 0,
    accounts: [],
    surfaces: [],
    ...(lastActive !== undefined && { lastActive }),
    ...(policy !== undefined && { policy }),
    ...(quiet !== undefined && { quiet }),
  };
  return { stored, revision: 0 };
};

const moveTo = async (
  store: Store,
  { linkId, tenant, now }: Joining,
  { stored: person, revision }: StoredPerson,
  members: readonly Member[],
): Promise<void> => {
  const coming = members.filter(({ address }) => accountOf(person, address)?.linkId !== linkId);
  if (coming.length > 0) {
    const membership = person.membership + 1;
    const others = withoutAccounts(person, (account) => coming.some(({ address }) => sameAccount(account, address)));
    const joined = {
      ...others,
      membership,
      accounts: [...others.accounts, ...coming.map((member) => arriving(member, linkId, membership, now))],
      surfaces: [...others.surfaces, ...coming.flatMap(surfacesOf)],
    };
    await store.put(personKey(tenant, person.id), joined, { ifRevision: revision });
  }
  for (const { address } of members) await pointTo(store, address, person.id);
};

/** Moves the account by writing its index entry. A concurrent move causes a conflict, and the link is retried. */
const pointTo = async (store: Store, address: AccountAddress, personId: string): Promise<void> => {
  const index = await store.get(accountKey(address));
  if (index?.value.personId === personId) return;
  if (index !== undefined) await takeFrom(store, index.value.personId, address);
  await store.put(accountKey(address), { personId }, { ifRevision: index?.revision ?? 0 });
};

/** Removes the account from its previous person; the new revision keeps a concurrent link from sealing what it read. */
const takeFrom = async (store: Store, personId: string, address: AccountAddress): Promise<void> => {
  const found = await readPerson(store, address.tenant, personId);
  if (found === undefined || accountOf(found.stored, address) === undefined) return;
  if (isTaken(found.person)) throw new RevisionConflict(address.accountId, found.revision);
  const left = withoutAccounts(found.stored, (account) => sameAccount(account, address));
  const changed = { ...left, membership: left.membership + 1 };
  await store.put(personKey(address.tenant, personId), changed, { ifRevision: found.revision });
};

/** Checks that both accounts have arrived and marks them as settled, so that no concurrent link moves them. */
const seal = async (
  store: Store,
  { tenant, linkId }: Joining,
  sides: readonly [AccountAddress, AccountAddress],
): Promise<void> => {
  const { person, stored, revision } = await findPerson(store, sides[0]);
  if (sides.some((side) => accountOf(person, side) === undefined)) throw new RevisionConflict(linkId, revision);
  const isPending = (account: PersonAccount) =>
    account.pending === true && sides.some((side) => sameAccount(side, account));
  if (!stored.accounts.some(isPending)) return;
  const accounts = stored.accounts.map((account) => (isPending(account) ? { ...account, pending: false } : account));
  await store.put(personKey(tenant, stored.id), { ...stored, accounts }, { ifRevision: revision });
};

const arriving = (
  { address: { channel, accountId }, name, found }: Member,
  linkId: string,
  joined: number,
  now: number,
): PersonAccount => {
  const { locale, timeZone } = accountOf(found.person, { channel, accountId }) ?? {};
  return {
    channel,
    accountId,
    name,
    since: isoTime(now),
    joined,
    linkId,
    pending: true,
    ...(locale !== undefined && { locale }),
    ...(timeZone !== undefined && { timeZone }),
  };
};

const surfacesOf = ({ address, found }: Member): Surface[] =>
  found.person.surfaces.filter((surface) => sameAccount(surface, address));
