export type { ClaimedLink, ClaimProblem, ConfirmProblem } from "./link-protocol.ts";
export { areDevices, claimLink, confirmLink, offerLink, refuseLink, revokeExposedCodes } from "./link-protocol.ts";
export { type LinkSide, readCode, spellCode } from "./link-record.ts";
export { wordsOf } from "./link-words.ts";
