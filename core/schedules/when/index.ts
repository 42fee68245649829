export { describeWhen } from "./describe-when.ts";
export { parseWhen, readWhen } from "./parse-when.ts";
export { lastDue, nextDue, When } from "./when.ts";
