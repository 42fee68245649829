import type { UserMessage } from "../../contract/messages/user-message.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { Store } from "../../contract/ports/store.ts";
import { createOnce } from "../../contract/ports/update.ts";
import { findPerson, sameAccount } from "../person-record.ts";
import { isTaken, joinPeople } from "./join-people.ts";
import {
  changeAttempts,
  changeLink,
  codesIn,
  type LinkRecord,
  type LinkSide,
  linkIdOf,
  linkKey,
  newLinkCode,
  sideOf,
  takeAttempt,
} from "./link-record.ts";

/** Validity of a code, and then of its confirmation. */
const LINK_TTL_MS = 10 * 60_000;

/** Creates a code for an account and voids its older codes. */
export const offerLink = async (store: Store, message: UserMessage, now: number): Promise<string | "too-many"> => {
  const { tenant, id: messageId } = message;
  const issuer = sideOf(message);
  const address = { tenant, channel: issuer.channel, accountId: issuer.accountId };
  if (!(await takeAttempt(store, address, "offersAt", now))) return "too-many";
  for (;;) {
    const code = newLinkCode();
    const linkId = linkIdOf(tenant, code);
    const expiresAt = isoTime(now + LINK_TTL_MS);
    const offered = { id: linkId, tenant, state: "offered" as const, issuer, expiresAt };
    // Another account has this code: take the next one.
    if ((await createOnce(store, linkKey(tenant, linkId), offered)) === undefined) continue;
    const { open } = await changeAttempts(store, address, (tries) => {
      // A redelivered message may already have shown a code, which must stay valid.
      const shown = tries.open?.messageId === messageId ? tries.open.linkIds : [];
      return { ...tries, open: { messageId, linkIds: [...shown, linkId] } };
    });
    if (open && open.messageId !== messageId) for (const older of open.linkIds) await voidLink(store, tenant, older);
    return code;
  }
};

/** Voids a link that is not complete yet. */
const voidLink = async (store: Store, tenant: string, linkId: string): Promise<void> => {
  await changeLink(store, { tenant, linkId }, (link) =>
    link.state === "offered" || link.state === "claimed" ? { ...link, state: "void" } : link,
  );
};

/** Voids every code in a message of a shared conversation, because other people can read it (I1). */
export const revokeExposedCodes = async (store: Store, message: UserMessage): Promise<void> => {
  const { tenant, text } = message;
  const codes = new Set(
    [...codesIn(text), ...codesIn(message.kind === "command" ? message.command.args : "")].slice(0, MAX_REVOKED),
  );
  for (const code of codes) await voidLink(store, tenant, linkIdOf(tenant, code));
};

/** Bounds the store writes that one message can cause. */
const MAX_REVOKED = 10;

export interface ClaimedLink extends LinkRecord {
  readonly claimant: LinkSide;
}

export type ClaimProblem =
  | "too-many"
  | "unknown"
  | "void"
  | "expired"
  | "used"
  | "same-account"
  | "same-channel"
  | "linked"
  | "taken";

/** Consumes a code: from then on it belongs to the two accounts, and both must confirm. Idempotent. */
export const claimLink = async (
  store: Store,
  message: UserMessage,
  code: string,
  now: number,
): Promise<ClaimedLink | ClaimProblem> => {
  const { tenant } = message;
  const claimant = sideOf(message);
  const address = { tenant, channel: claimant.channel, accountId: claimant.accountId };
  if (!(await takeAttempt(store, address, "claimsAt", now))) return "too-many";
  const linkId = linkIdOf(tenant, code);
  const offered = await changeLink(store, { tenant, linkId }, (link) => link);
  const conflict = offered && (await conflictBetween(store, offered, claimant));
  let problem: ClaimProblem | undefined;
  const link = await changeLink(store, { tenant, linkId }, (link) => {
    problem = claimProblem(link, claimant, now) ?? conflict;
    if (problem !== undefined || link.state === "claimed") return link;
    return { ...link, state: "claimed", claimant, expiresAt: isoTime(now + LINK_TTL_MS) };
  });
  if (link?.claimant === undefined) return problem ?? "unknown";
  return problem ?? { ...link, claimant: link.claimant };
};

const claimProblem = (link: LinkRecord, claimant: LinkSide, now: number): ClaimProblem | undefined => {
  if (link.state === "void" || link.state === "refused") return "void";
  if (link.claimant !== undefined && !sameAccount(link.claimant, claimant)) return "used";
  if (link.state === "linked") return "used";
  if (Date.parse(link.expiresAt) <= now) return "expired";
  if (sameAccount(link.issuer, claimant)) return "same-account";
  return link.issuer.channel !== claimant.channel || areDevices(link.issuer, claimant) ? undefined : "same-channel";
};

/**
 * Two devices of one channel that knows neither of their owners, such as two browsers without a signed identity. Accounts
 * with an identity are excluded: the channel says that they are two people.
 */
export const areDevices = (a: LinkSide, b: LinkSide): boolean =>
  a.channel === b.channel && a.anonymous === true && b.anonymous === true && !sameAccount(a, b);

/** An early check that avoids a useless question to both sides; the check after both confirmations decides. */
const conflictBetween = async (
  store: Store,
  { tenant, issuer }: LinkRecord,
  claimant: LinkSide,
): Promise<ClaimProblem | undefined> => {
  const [a, b] = await Promise.all([issuer, claimant].map((side) => findPerson(store, { tenant, ...side })));
  if (a === undefined || b === undefined) return undefined;
  if (a.person.id === b.person.id) return "linked";
  return isTaken(a.person) && isTaken(b.person) ? "taken" : undefined;
};

export type ConfirmProblem = "unknown" | "void" | "expired" | "taken" | "linked";
interface Confirmed {
  readonly link: LinkRecord;
  readonly isLinked: boolean;
  readonly other: LinkSide;
}

/**
 * Stores the confirmation of one side. Once both have confirmed, their accounts become one person. A further confirmation,
 * such as a second press of the button, is "linked" and notifies no one.
 */
export const confirmLink = async (
  store: Store,
  message: UserMessage,
  linkId: string,
  now: number,
): Promise<Confirmed | ConfirmProblem> => {
  let problem: ConfirmProblem | undefined;
  const link = await changeLink(store, { tenant: message.tenant, linkId }, (link) => {
    problem = sidesFor(link, message) === undefined ? "unknown" : confirmProblem(link, now);
    if (problem !== undefined || link.state !== "claimed") return link;
    return completedBy(confirmedBy(link, message), message);
  });
  const sides = link && sidesFor(link, message);
  if (link === undefined || sides === undefined || problem !== undefined) return problem ?? "unknown";
  const { other, issuer, claimant } = sides;
  const completed = link.completedBy === message.id ? { link, isLinked: true, other } : "linked";
  if (link.state === "linked") return (await areOne(store, link, sides)) ? completed : "void";
  if (!isConfirmed(link)) return { link, isLinked: false, other };
  const joining = { linkId, tenant: link.tenant, sides: [issuer, claimant] as const, now };
  if ((await joinPeople(store, joining)) === "taken") return "taken";
  await changeLink(store, { tenant: link.tenant, linkId }, (link) => ({ ...link, state: "linked" }));
  return completed;
};

/** Refuses a claimed link and returns the other side. Undefined: the account has no such link to refuse. */
export const refuseLink = async (store: Store, message: UserMessage, linkId: string): Promise<LinkSide | undefined> => {
  const link = await changeLink(store, { tenant: message.tenant, linkId }, (link) =>
    link.state === "claimed" && sidesFor(link, message) ? { ...link, state: "refused" } : link,
  );
  return link?.state === "refused" ? sidesFor(link, message)?.other : undefined;
};

/** Whether the accounts are still linked. */
const areOne = async (store: Store, { tenant }: LinkRecord, { issuer, claimant }: Sides): Promise<boolean> => {
  const [a, b] = await Promise.all([issuer, claimant].map((side) => findPerson(store, { tenant, ...side })));
  return a?.person.id === b?.person.id;
};

interface Sides {
  readonly issuer: LinkSide;
  readonly claimant: LinkSide;
  readonly other: LinkSide;
}

/** Both sides as one of the two accounts sees them; undefined for any other account. */
const sidesFor = ({ issuer, claimant }: LinkRecord, { conversation, account }: UserMessage): Sides | undefined => {
  if (claimant === undefined) return undefined;
  const address = { channel: conversation.channel, accountId: account.id };
  if (sameAccount(issuer, address)) return { issuer, claimant, other: claimant };
  return sameAccount(claimant, address) ? { issuer, claimant, other: issuer } : undefined;
};

const confirmProblem = (link: LinkRecord, now: number): ConfirmProblem | undefined => {
  if (link.state === "void" || link.state === "refused") return "void";
  return link.state === "claimed" && !isConfirmed(link) && Date.parse(link.expiresAt) <= now ? "expired" : undefined;
};

/** A link that both sides confirmed in time is completed after a crash, however late. */
const isConfirmed = ({ issuer, claimant }: Pick<LinkRecord, "issuer" | "claimant">): boolean =>
  issuer.confirmed && claimant?.confirmed === true;

const completedBy = (link: LinkRecord, { id }: UserMessage): LinkRecord =>
  isConfirmed(link) && link.completedBy === undefined ? { ...link, completedBy: id } : link;

const confirmedBy = (link: LinkRecord, { conversation, account }: UserMessage): LinkRecord => {
  const { issuer, claimant } = link;
  const isIssuer = sameAccount(issuer, { channel: conversation.channel, accountId: account.id });
  if (isIssuer) return issuer.confirmed ? link : { ...link, issuer: { ...issuer, confirmed: true } };
  return claimant === undefined || claimant.confirmed ? link : { ...link, claimant: { ...claimant, confirmed: true } };
};
