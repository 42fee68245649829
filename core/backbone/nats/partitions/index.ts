export { partitionOf } from "./assign-partitions.ts";
export { ConsumerGroups } from "./consumer-groups.ts";
