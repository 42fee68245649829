export { cancelTask } from "./end-task.ts";
export {
  inboundMessageId,
  publishCall,
  RECORD_AFTER_MS,
  readForeignTrace,
  recordCall,
  withWebhook,
} from "./inbound-call.ts";
export { inboundRequester } from "./inbound-requester.ts";
export {
  cachedEnd,
  changeTask,
  dayOf,
  daysBefore,
  hasEnded,
  type InboundTask,
  isAtRest,
  readTask,
  summariesOn,
  type TaskDeps,
  type TaskSummary,
  taskKey,
} from "./inbound-task.ts";
export { InboundTurns } from "./inbound-turns.ts";
export { placeOfCaller, placeOfSkill } from "./notices.ts";
export { type InboundOptions, startInbound } from "./start.ts";
