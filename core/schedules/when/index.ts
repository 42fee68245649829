export { readWhen, understandWhen } from "./parse-when.ts";
export { describeWhen, lastDue, nextDue, When } from "./when.ts";
