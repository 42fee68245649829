export { readCode, spellCode } from "./link-code.ts";
export type { ClaimedLink, ClaimProblem, ConfirmProblem } from "./link-protocol.ts";
export { claimLink, confirmLink, offerLink, refuseLink, revokeExposedCodes } from "./link-protocol.ts";
export type { LinkSide } from "./link-record.ts";
