export {
  type BlockAddress,
  BlockedAccount,
  blockAccount,
  blocksOf,
  readBlock,
  unblockAccount,
} from "./block-record.ts";
export { BlockedAccounts } from "./blocked-accounts.ts";
export { type Report, reportId, reportKey, reportsOf } from "./report-record.ts";
