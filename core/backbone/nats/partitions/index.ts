export { partitionOf } from "./assign-partitions.ts";
export { ConsumerGroups } from "./consumer-groups.ts";
export { canSplit, formatOfMember } from "./members/member-record.ts";
export {
  canRaise,
  type DeploymentLayout,
  encodeLayout,
  LAYOUT_KEY,
  layoutIn,
  MAX_RAISE,
  PartitionLayout,
  subPartition,
} from "./partition-layout.ts";
export { decodePartition, encodePartition, GroupOrigin, type PartitionRecord } from "./partition-record.ts";
export { originKey, partitionKey } from "./partition-table.ts";
