export { accountServed, askerOf, withRequester } from "./asker.ts";
export { audienceAt, Destination, Home } from "./destination.ts";
export { type LedgerEntry, ledgerKey, ledgerOf } from "./ledger-entry.ts";
export { notifyAccount, publishBudgetNotice, publishReply, type UnsolicitedReply } from "./publish-reply.ts";
export { heldUntil } from "./quiet-hours.ts";
export { readRepliedTo, resolveRepliedTo } from "./resolve-replied-to.ts";
export { decideTargets, isProactive } from "./targets.ts";
export type { Admits, Caller } from "./visibility.ts";
export { callerAt, canSee, mayContinue, textsForReaders, viewerTimeIn } from "./visibility.ts";
