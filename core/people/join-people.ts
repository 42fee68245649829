import { RevisionConflict } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import type { Store } from "../contract/store.ts";
import { stableId } from "../sessions/stable-id.ts";
import type { FoundPerson } from "./find-person.ts";
import { findPerson, listed, ownIdOf, sameAccount, withoutAccounts } from "./find-person.ts";
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
  accounts.length > 1 || accounts.some(({ declared }) => declared === true);

/**
 * Makes one person of two accounts' people. An account that is alone goes over to the other's person; if both have
 * others, neither is taken from them. Every step may be repeated; an account is over when its index says so.
 */
export const joinPeople = async (store: Store, joining: Joining): Promise<"joined" | "taken"> => {
  const [a, b] = await Promise.all(joining.sides.map((side) => memberOf(store, joining.tenant, side)));
  if (a === undefined || b === undefined) return "taken";
  if (a.found.person.id === b.found.person.id) return "joined";
  if (isTaken(a.found.person) && isTaken(b.found.person)) return "taken";
  const [host, guest] = isTaken(b.found.person) || (isOwn(a) && !isOwn(b)) ? [b, a] : [a, b];
  if (isOwn(host)) await found(store, joining, host, guest);
  else await goOver(store, joining, host.found, guest);
  return "joined";
};

const memberOf = async (store: Store, tenant: string, { channel, accountId, name }: LinkSide): Promise<Member> => {
  const address = { tenant, channel, accountId };
  return { address, name, found: await findPerson(store, address) };
};

const isOwn = ({ address, found }: Member): boolean => found.person.id === ownIdOf(address);

/** Of two that are alone: a person with an id of its own, for either of them may leave it again. */
const found = async (store: Store, { linkId, tenant, now }: Joining, host: Member, guest: Member): Promise<void> => {
  const id = stableId("p", tenant, "link", linkId);
  const { policy, quiet, lastActive } = host.found.person;
  const person: PersonRecord = {
    id,
    tenant,
    membership: 1,
    accounts: [host, guest].map((member) => arriving(member, linkId, 1, now)),
    surfaces: [host, guest].flatMap(surfacesOf),
    ...(lastActive !== undefined && { lastActive }),
    ...(policy !== undefined && { policy }),
    ...(quiet !== undefined && { quiet }),
  };
  try {
    await store.put(personKey(tenant, id), person, { ifRevision: 0 });
  } catch (error) {
    // An earlier run of the same link got this far.
    if (!(error instanceof RevisionConflict)) throw error;
  }
  for (const { address } of [host, guest]) await pointTo(store, address, id);
};

const goOver = async (
  store: Store,
  { linkId, tenant, now }: Joining,
  { stored: person, revision }: FoundPerson,
  guest: Member,
): Promise<void> => {
  const isDone = listed(person, guest.address)?.linkId === linkId;
  if (!isDone) {
    const membership = person.membership + 1;
    const others = withoutAccounts(person, (account) => sameAccount(account, guest.address));
    const joined = {
      ...others,
      membership,
      accounts: [...others.accounts, arriving(guest, linkId, membership, now)],
      surfaces: [...others.surfaces, ...surfacesOf(guest)],
    };
    await store.put(personKey(tenant, person.id), joined, { ifRevision: revision });
  }
  await pointTo(store, guest.address, person.id);
};

/** The moment at which the account is over. Whoever else moves it meanwhile makes this fail, and it is looked at again. */
const pointTo = async (store: Store, address: AccountAddress, personId: string): Promise<void> => {
  const index = await store.get(accountKey(address));
  if (index?.value.personId === personId) return;
  const { person } = await findPerson(store, address);
  if (person.id !== ownIdOf(address) && isTaken(person)) throw new RevisionConflict(address.accountId, 0);
  await store.put(accountKey(address), { personId }, { ifRevision: index?.revision ?? 0 });
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
    ...(locale !== undefined && { locale }),
    ...(timeZone !== undefined && { timeZone }),
  };
};

const surfacesOf = ({ address, found }: Member): Surface[] =>
  found.person.surfaces.filter((surface) => sameAccount(surface, address));
