export { accountServed, askerOf, askingAccount, withRequester } from "./asker.ts";
export { type Caller, callerAt, type Writer } from "./caller.ts";
export { audienceAt, Destination, Home } from "./destination.ts";
export { type LedgerEntry, ledgerKey, ledgerOf } from "./ledger-entry.ts";
export { notifyAccount, publishReply, type UnsolicitedReply } from "./publish-reply.ts";
export { readRepliedTo, resolveRepliedTo } from "./resolve-replied-to.ts";
export { type Admits, canSee, mayContinue, viewerTimeIn } from "./visibility.ts";
