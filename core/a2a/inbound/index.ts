export { noteCall, publishCall, readForeignTrace, withWebhook } from "./accept-call.ts";
export { cancelTask } from "./cancel-task.ts";
export { changeTask, type TaskDeps } from "./change-task.ts";
export { inboundMessageId, NOTED_AFTER_MS } from "./inbound-call.ts";
export { inboundRequester } from "./inbound-requester.ts";
export {
  dayOf,
  daysBefore,
  hasEnded,
  type InboundTask,
  isAtRest,
  readTask,
  seenEnd,
  summariesOn,
  type TaskSummary,
  taskKey,
} from "./inbound-task.ts";
export { InboundTurns } from "./inbound-turns.ts";
export { type InboundOptions, startInbound } from "./start.ts";
