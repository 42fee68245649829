export { type ClaimedLink, type ClaimProblem, claimLink } from "./claim-link.ts";
export { type ConfirmProblem, confirmLink, refuseLink } from "./confirm-link.ts";
export { readCode, spellCode } from "./link-code.ts";
export type { LinkSide } from "./link-record.ts";
export { offerLink, revokeExposedCodes } from "./offer-link.ts";
