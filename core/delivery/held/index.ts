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
