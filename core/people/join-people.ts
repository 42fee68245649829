import { RevisionConflict } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import type { Store } from "../contract/store.ts";
import { stableId } from "../lib/index.ts";
import type { FoundPerson } from "./find-person.ts";
import { findPerson, listed, ownIdOf, readPerson, sameAccount, withoutAccounts } from "./find-person.ts";
import type { LinkSide } from "./link-record.ts";
import type { AccountAddress, PersonAccount, PersonRecord, Surface } from "./person-record.ts";
import { accountKey, personKey } from "./person-record.ts";

export interface Joining {
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

/** Has accounts besides one, or is declared: then it takes others in, but does not go over to them. */
export const isTaken = ({ accounts }: PersonRecord): boolean =>
  accounts.filter(({ pending }) => pending !== true).length > 1 || accounts.some(({ declared }) => declared === true);

/**
 * Makes one person of two accounts' people. An account that is alone goes over to the other's person; if both have
 * others, neither is taken from them. Every step may be repeated; an account is over when its index says so. Until the
 * link is sealed another one may take either of them along: this one then fails, and is looked at again.
 */
export const joinPeople = async (store: Store, joining: Joining): Promise<"joined" | "taken"> => {
  const [a, b] = await Promise.all(joining.sides.map((side) => memberOf(store, joining.tenant, side)));
  if (a === undefined || b === undefined) return "taken";
  if (a.found.person.id !== b.found.person.id) {
    if (isTaken(a.found.person) && isTaken(b.found.person)) return "taken";
    const [host, guest] = isTaken(b.found.person) || (isOwn(a) && !isOwn(b)) ? [b, a] : [a, b];
    if (isOwn(host)) await bringTo(store, joining, await newPerson(store, joining, host), [host, guest]);
    else await bringTo(store, joining, host.found, [guest]);
  }
  await seal(store, joining, [a.address, b.address]);
  return "joined";
};

const memberOf = async (store: Store, tenant: string, { channel, accountId, name }: LinkSide): Promise<Member> => {
  const address = { tenant, channel, accountId };
  return { address, name, found: await findPerson(store, address) };
};

const isOwn = ({ address, found }: Member): boolean => found.person.id === ownIdOf(address);

type StoredPerson = Pick<FoundPerson, "stored" | "revision">;

/** Of two that are alone: a person with an id of its own, for either of them may leave it again. */
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

const bringTo = async (
  store: Store,
  { linkId, tenant, now }: Joining,
  { stored: person, revision }: StoredPerson,
  members: readonly Member[],
): Promise<void> => {
  const coming = members.filter(({ address }) => listed(person, address)?.linkId !== linkId);
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

/** The moment at which the account is over. Whoever else moves it meanwhile makes this fail, and it is looked at again. */
const pointTo = async (store: Store, address: AccountAddress, personId: string): Promise<void> => {
  const index = await store.get(accountKey(address));
  if (index?.value.personId === personId) return;
  if (index !== undefined) await takeFrom(store, index.value.personId, address);
  await store.put(accountKey(address), { personId }, { ifRevision: index?.revision ?? 0 });
};

/** Changes the record that the account goes from: a link to it that is under way is not sealed with what it has read. */
const takeFrom = async (store: Store, personId: string, address: AccountAddress): Promise<void> => {
  const found = await readPerson(store, address.tenant, personId);
  if (found === undefined || listed(found.stored, address) === undefined) return;
  if (isTaken(found.person)) throw new RevisionConflict(address.accountId, found.revision);
  const left = withoutAccounts(found.stored, (account) => sameAccount(account, address));
  const changed = { ...left, membership: left.membership + 1 };
  await store.put(personKey(address.tenant, personId), changed, { ifRevision: found.revision });
};

/** Both are there, and from now on nobody takes one of them away. */
const seal = async (
  store: Store,
  { tenant, linkId }: Joining,
  sides: readonly [AccountAddress, AccountAddress],
): Promise<void> => {
  const { person, stored, revision } = await findPerson(store, sides[0]);
  if (sides.some((side) => listed(person, side) === undefined)) throw new RevisionConflict(linkId, revision);
  const isOpen = (account: PersonAccount) =>
    account.pending === true && sides.some((side) => sameAccount(side, account));
  if (!stored.accounts.some(isOpen)) return;
  const accounts = stored.accounts.map((account) => (isOpen(account) ? { ...account, pending: false } : account));
  await store.put(personKey(tenant, stored.id), { ...stored, accounts }, { ifRevision: revision });
};

const arriving = (
  { address: { channel, accountId }, name, found }: Member,
  linkId: string,
  joined: number,
  now: number,
): PersonAccount => {
  const { locale, timeZone } = listed(found.person, { channel, accountId }) ?? {};
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
