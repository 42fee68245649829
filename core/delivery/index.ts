export { accountServed } from "./account-served.ts";
export { type AfterRefusal, afterRefusal } from "./after-refusal.ts";
export { askerOf } from "./asker-of.ts";
export { askingAccount } from "./asking-account.ts";
export { type Caller, callerAt, type Writer } from "./caller.ts";
export { audienceAt, Destination } from "./destination.ts";
export { failureInWords } from "./failure-in-words.ts";
export { GoneMatter, goneMatterOf } from "./gone-matter.ts";
export {
  changeHeld,
  type Digest,
  type DigestPart,
  type DigestSection,
  type HeldItem,
  type HeldRecord,
  heldRequestKey,
  readHeld,
} from "./held-record.ts";
export { Home } from "./home.ts";
export { type LedgerEntry, ledgerKey, ledgerOf } from "./ledger-entry.ts";
export { listUndeliveredFor, pointedUndelivered } from "./list-undelivered.ts";
export { mayContinue } from "./may-continue.ts";
export { type Admits, mayShow } from "./may-show.ts";
export { noteUndelivered, undeliveredId } from "./note-undelivered.ts";
export { notifyAccount } from "./notify-account.ts";
export type { OtherPlaces } from "./other-place.ts";
export { isRefused } from "./other-surfaces.ts";
export { publishReply, type UnsolicitedReply } from "./publish-reply.ts";
export { readLetter } from "./read-letter.ts";
export { reportGone } from "./report-gone.ts";
export { pointedAt, resolveRepliedTo } from "./resolve-replied-to.ts";
export { sentFor } from "./sent-for.ts";
export { settleUndelivered } from "./settle-undelivered.ts";
export type { Target } from "./target.ts";
export { isStillTarget, type TargetParts, targetsOn } from "./targets.ts";
export { type Addressee, type Undelivered, undeliveredOn } from "./undelivered.ts";
export { viewerIn } from "./viewer-in.ts";
