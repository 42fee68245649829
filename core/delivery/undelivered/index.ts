export type { Digest, DigestPart, DigestSection, HeldItem, HeldRecord } from "./held-record.ts";
export { addHeld, changeHeld, heldRequestKey, readHeld, readHeldInRoom } from "./held-record.ts";
export { settleUndelivered } from "./settle-undelivered.ts";
export type { FallbackDeps } from "./undeliverable-report.ts";
export { reportUndeliverable } from "./undeliverable-report.ts";
export { UndeliverableResult, undeliverableResultOf } from "./undeliverable-result.ts";
export type { Addressee, Undelivered } from "./undelivered.ts";
export {
  addresseeOf,
  deliveryFailureText,
  findUndelivered,
  listUndeliveredFor,
  noteUndelivered,
  readDeadLetter,
  undeliveredId,
  undeliveredOn,
} from "./undelivered.ts";
