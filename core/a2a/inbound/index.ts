export { noteCall, publishCall, withWebhook } from "./accept-call.ts";
export { cancelTask } from "./cancel-task.ts";
export { changeTask, type TaskParts } from "./change-task.ts";
export { readForeignTrace } from "./foreign-trace.ts";
export { type InboundCall, inboundMessageId, NOTED_AFTER_MS } from "./inbound-call.ts";
export { inboundRequester } from "./inbound-requester.ts";
export {
  hasEnded,
  type InboundTask,
  isAtRest,
  readTask,
  type Said,
  seenEnd,
  type TaskOwner,
  type TaskState,
  taskKey,
  type Webhook,
} from "./inbound-task.ts";
export { InboundTurns } from "./inbound-turns.ts";
export { type InboundOptions, startInbound } from "./start-inbound.ts";
export { dayOf, daysBefore, summariesOn, type TaskSummary } from "./task-index.ts";
