export {
  type BlockAddress,
  BlockedAccount,
  blockAccount,
  blocksOf,
  readBlock,
  unblockAccount,
} from "./block-record.ts";
export { BlockedAccounts } from "./blocked-accounts.ts";
export { DEFAULT_RIGHTS, type Groups, OPERATOR, Rights } from "./rights.ts";
