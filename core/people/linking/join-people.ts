import { RevisionConflict } from "../../contract/app-error.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { Store } from "../../contract/ports/store.ts";
import { stableId } from "../../lib/index.ts";
import {
  type AccountAddress,
  type AccountRecord,
  accountKey,
  accountOf,
  type FoundPerson,
  findPerson,
  ownIdOf,
  type PersonAccount,
  type PersonRecord,
  personKey,
  readPerson,
  type Surface,
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
  /** Of the account's index entry; 0 if there is none. */
  readonly indexRevision: number;
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
    const [host, guest] = rankOf(b) < rankOf(a) ? [b, a] : [a, b];
    if (isSingle(host)) await moveTo(store, joining, await newPerson(store, joining, host), [host, guest]);
    else await moveTo(store, joining, host.found, [guest]);
  }
  await seal(store, joining, [a.address, b.address]);
  return "joined";
};

const memberOf = async (store: Store, tenant: string, { channel, accountId, name }: LinkSide): Promise<Member> => {
  const address = { tenant, channel, accountId };
  const indexRevision = await completeMove(store, address);
  return { address, name, found: await findPerson(store, address), indexRevision };
};

/**
 * Completes the move of a concurrent or interrupted link, and returns the revision of the index entry. If it moved the
 * account back instead, two links could undo each other's steps forever.
 */
const completeMove = async (store: Store, address: AccountAddress): Promise<number> => {
  const index = await store.get(accountKey(address));
  if (index === undefined) return 0;
  const { personId, joined } = index.value;
  const moved = (await readPerson(store, address.tenant, personId))?.stored.moved;
  const move = moved?.find((each) => sameAccount(each, address) && each.joined === joined);
  if (move === undefined) return index.revision;
  await store.put(accountKey(address), move.to, { ifRevision: index.revision });
  return completeMove(store, address);
};

/** Also if a link has joined them between the two reads; the seal reads them again. */
const areOne = (a: Member, b: Member): boolean =>
  a.found.person.id === b.found.person.id ||
  accountOf(a.found.person, b.address) !== undefined ||
  accountOf(b.found.person, a.address) !== undefined;

/**
 * The person with the lower rank is the host. The order is the same for all links, so accounts move in one direction, and
 * concurrent links come to an end.
 */
const rankOf = (member: Member): string => {
  if (isTaken(member.found.person)) return "0";
  return isSingle(member) ? "2" : `1 ${member.found.person.id}`;
};

const isSingle = ({ address, found }: Member): boolean => found.person.id === ownIdOf(address);

/** The new person of two single accounts. It has its own id, because either account may leave again. */
const newPerson = async (store: Store, { linkId, tenant }: Joining, host: Member): Promise<FoundPerson> => {
  const id = stableId("p", tenant, "link", linkId);
  const begun = await readPerson(store, tenant, id);
  if (begun !== undefined) return begun;
  const { policy, quiet, timeZone, locale, lastActive } = host.found.person;
  const stored: PersonRecord = {
    id,
    tenant,
    membership: 0,
    accounts: [],
    surfaces: [],
    ...(lastActive !== undefined && { lastActive }),
    ...(policy !== undefined && { policy }),
    ...(quiet !== undefined && { quiet }),
    ...(timeZone !== undefined && { timeZone }),
    ...(locale !== undefined && { locale }),
  };
  return { person: stored, stored, revision: 0 };
};

/** Adds the accounts to the record first, so that writing their index entries moves them. */
const moveTo = async (store: Store, joining: Joining, host: FoundPerson, members: readonly Member[]): Promise<void> => {
  const person = await addAccounts(store, joining, host, members);
  for (const member of members) {
    const joined = accountOf(person, member.address)?.joined;
    if (joined !== undefined) await move(store, member, { personId: person.id, joined });
  }
};

/** An account that a concurrent link has just added stays as it is, so that the two do not replace it in turns. */
const addAccounts = async (
  store: Store,
  { linkId, tenant, now }: Joining,
  { person, stored, revision }: FoundPerson,
  members: readonly Member[],
): Promise<PersonRecord> => {
  const isAdded = (account: PersonAccount | undefined) =>
    account?.pending === true && now - Date.parse(account.since) < ADDED_MS;
  const coming = members.filter(
    ({ address }) => accountOf(person, address) === undefined && !isAdded(accountOf(stored, address)),
  );
  if (coming.length === 0) return stored;
  const membership = stored.membership + 1;
  const others = withoutAccounts(stored, (account) => coming.some(({ address }) => sameAccount(account, address)));
  const joined = {
    ...others,
    membership,
    accounts: [...others.accounts, ...coming.map((member) => arriving(member, linkId, membership, now))],
    surfaces: [...others.surfaces, ...coming.flatMap(surfacesOf)],
  };
  await store.put(personKey(tenant, stored.id), joined, { ifRevision: revision });
  return joined;
};

/**
 * Longer than concurrent links take. An older entry is left from a crash, and the person's work has begun since: the
 * account joins with a higher counter and does not see its results (D3).
 */
const ADDED_MS = 60_000;

/**
 * Moves the account by writing its index entry. Its previous person loses it first, at the revision that the link has
 * read: no other link can have sealed it, or seal it later, because this `joined` never returns.
 */
const move = async (store: Store, member: Member, to: AccountRecord): Promise<void> => {
  const { address, found, indexRevision } = member;
  const { channel, accountId, tenant } = address;
  const account = isSingle(member) ? undefined : accountOf(found.stored, address);
  if (account !== undefined) {
    const left = withoutAccounts(found.stored, (each) => sameAccount(each, address));
    const moved = [...(left.moved ?? []), { channel, accountId, joined: account.joined, to }];
    const changed = { ...left, membership: left.membership + 1, moved };
    await store.put(personKey(tenant, left.id), changed, { ifRevision: found.revision });
  }
  await store.put(accountKey(address), to, { ifRevision: indexRevision });
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
  await store.put(personKey(tenant, stored.id), { ...stored, accounts, moved: [] }, { ifRevision: revision });
};

const arriving = (
  { address: { channel, accountId }, name, found }: Member,
  linkId: string,
  joined: number,
  now: number,
): PersonAccount => {
  const { locale, timeZone, device, identified } = accountOf(found.person, { channel, accountId }) ?? {};
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
    ...(device !== undefined && { device }),
    ...(identified && { identified }),
  };
};

const surfacesOf = ({ address, found }: Member): Surface[] =>
  found.person.surfaces.filter((surface) => sameAccount(surface, address));
