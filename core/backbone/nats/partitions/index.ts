export { ConsumerGroups } from "./consumer-groups.ts";
