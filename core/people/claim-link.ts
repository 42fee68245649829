import { isoTime } from "../contract/clock.ts";
import type { Store } from "../contract/store.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { changeLink } from "./change-link.ts";
import { findPerson, sameAccount } from "./find-person.ts";
import { isTaken } from "./join-people.ts";
import { linkIdOf } from "./link-code.ts";
import type { LinkRecord, LinkSide } from "./link-record.ts";
import { sideOf } from "./link-record.ts";
import { takeTry } from "./link-tries.ts";
import { LINK_LIFE_MS } from "./offer-link.ts";

export interface ClaimedLink extends LinkRecord {
  readonly claimant: LinkSide;
}

export type ClaimProblem = "too-many" | "unknown" | "void" | "expired" | "used" | "same-channel" | "linked" | "taken";

/** Uses a code up: from then on it belongs to the two accounts, and both are asked. Doing it again changes nothing. */
export const claimLink = async (
  store: Store,
  message: UserMessage,
  code: string,
  now: number,
): Promise<ClaimedLink | ClaimProblem> => {
  const { tenant } = message;
  const claimant = sideOf(message);
  const address = { tenant, channel: claimant.channel, accountId: claimant.accountId };
  if (!(await takeTry(store, address, "claimsAt", now))) return "too-many";
  const linkId = linkIdOf(tenant, code);
  const offered = await changeLink(store, { tenant, linkId }, (link) => link);
  const hindrance = offered && (await hindranceBetween(store, offered, claimant));
  let problem: ClaimProblem | undefined;
  const link = await changeLink(store, { tenant, linkId }, (link) => {
    problem = problemOf(link, claimant, now) ?? hindrance;
    if (problem !== undefined || link.state === "claimed") return link;
    return { ...link, state: "claimed", claimant, expiresAt: isoTime(now + LINK_LIFE_MS) };
  });
  if (link?.claimant === undefined) return problem ?? "unknown";
  return problem ?? { ...link, claimant: link.claimant };
};

const problemOf = (link: LinkRecord, claimant: LinkSide, now: number): ClaimProblem | undefined => {
  if (link.state === "void" || link.state === "refused") return "void";
  if (link.claimant !== undefined && !sameAccount(link.claimant, claimant)) return "used";
  if (link.state === "linked") return "used";
  if (Date.parse(link.expiresAt) <= now) return "expired";
  return link.issuer.channel === claimant.channel ? "same-channel" : undefined;
};

/** Looked at now so that nobody is asked in vain; what counts is how it is when both have confirmed. */
const hindranceBetween = async (
  store: Store,
  { tenant, issuer }: LinkRecord,
  claimant: LinkSide,
): Promise<ClaimProblem | undefined> => {
  const [a, b] = await Promise.all([issuer, claimant].map((side) => findPerson(store, { tenant, ...side })));
  if (a === undefined || b === undefined) return undefined;
  if (a.person.id === b.person.id) return "linked";
  return isTaken(a.person) && isTaken(b.person) ? "taken" : undefined;
};
