export { findUndelivered, listUndeliveredFor, readDeadLetter } from "./list-undelivered.ts";
export { settleUndelivered } from "./settle-undelivered.ts";
export {
  type Addressee,
  failureInWords,
  noteUndelivered,
  type Undelivered,
  undeliveredId,
  undeliveredOn,
} from "./undelivered.ts";
