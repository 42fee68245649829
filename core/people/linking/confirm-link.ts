import type { UserMessage } from "../../contract/messages/user-message.ts";
import type { Store } from "../../contract/ports/store.ts";
import { findPerson, sameAccount } from "../person-record.ts";
import { joinPeople } from "./join-people.ts";
import { changeLink, type LinkRecord, type LinkSide } from "./link-record.ts";

export type ConfirmProblem = "unknown" | "void" | "expired" | "taken";
interface Confirmed {
  readonly link: LinkRecord;
  readonly isLinked: boolean;
  readonly other: LinkSide;
}

/** Stores the confirmation of one side. Once both have confirmed, their accounts become one person. */
export const confirmLink = async (
  store: Store,
  message: UserMessage,
  linkId: string,
  now: number,
): Promise<Confirmed | ConfirmProblem> => {
  let problem: ConfirmProblem | undefined;
  const link = await changeLink(store, { tenant: message.tenant, linkId }, (link) => {
    problem = sidesFor(link, message) === undefined ? "unknown" : problemOf(link, now);
    if (problem !== undefined || link.state !== "claimed") return link;
    return confirmedBy(link, message);
  });
  const sides = link && sidesFor(link, message);
  if (link === undefined || sides === undefined || problem !== undefined) return problem ?? "unknown";
  const { other, issuer, claimant } = sides;
  if (link.state === "linked") return (await areOne(store, link, sides)) ? { link, isLinked: true, other } : "void";
  if (!isConfirmed(link)) return { link, isLinked: false, other };
  const joining = { linkId, tenant: link.tenant, sides: [issuer, claimant] as const, now };
  if ((await joinPeople(store, joining)) === "taken") return "taken";
  await changeLink(store, { tenant: link.tenant, linkId }, (link) => ({ ...link, state: "linked" }));
  return { link, isLinked: true, other };
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

const problemOf = (link: LinkRecord, now: number): ConfirmProblem | undefined => {
  if (link.state === "void" || link.state === "refused") return "void";
  return link.state === "claimed" && !isConfirmed(link) && Date.parse(link.expiresAt) <= now ? "expired" : undefined;
};

/** A link that both sides confirmed in time is completed after a crash, however late. */
const isConfirmed = ({ issuer, claimant }: Pick<LinkRecord, "issuer" | "claimant">): boolean =>
  issuer.confirmed && claimant?.confirmed === true;

const confirmedBy = (link: LinkRecord, { conversation, account }: UserMessage): LinkRecord => {
  const { issuer, claimant } = link;
  const isIssuer = sameAccount(issuer, { channel: conversation.channel, accountId: account.id });
  if (isIssuer) return issuer.confirmed ? link : { ...link, issuer: { ...issuer, confirmed: true } };
  return claimant === undefined || claimant.confirmed ? link : { ...link, claimant: { ...claimant, confirmed: true } };
};
