export { partitionOf } from "./assign-partitions.ts";
export { ConsumerGroups } from "./consumer-groups.ts";
export { formatOfMember } from "./members/member-record.ts";
export { GroupOrigin, PartitionRecord } from "./partition-record.ts";
export { originKey, partitionKey } from "./partition-table.ts";
