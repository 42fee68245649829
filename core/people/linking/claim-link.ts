import type { UserMessage } from "../../contract/messages/user-message.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { Store } from "../../contract/ports/store.ts";
import { findPerson, sameAccount } from "../person-record.ts";
import { isTaken } from "./join-people.ts";
import { linkIdOf } from "./link-code.ts";
import { changeLink, type LinkRecord, type LinkSide, sideOf, takeTry } from "./link-record.ts";
import { LINK_TTL_MS } from "./offer-link.ts";

export interface ClaimedLink extends LinkRecord {
  readonly claimant: LinkSide;
}

export type ClaimProblem = "too-many" | "unknown" | "void" | "expired" | "used" | "same-channel" | "linked" | "taken";

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
  if (!(await takeTry(store, address, "claimsAt", now))) return "too-many";
  const linkId = linkIdOf(tenant, code);
  const offered = await changeLink(store, { tenant, linkId }, (link) => link);
  const conflict = offered && (await conflictBetween(store, offered, claimant));
  let problem: ClaimProblem | undefined;
  const link = await changeLink(store, { tenant, linkId }, (link) => {
    problem = problemOf(link, claimant, now) ?? conflict;
    if (problem !== undefined || link.state === "claimed") return link;
    return { ...link, state: "claimed", claimant, expiresAt: isoTime(now + LINK_TTL_MS) };
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
