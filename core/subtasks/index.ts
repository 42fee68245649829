export { cancelAction } from "./activity/activity-entry.ts";
export { endCall, isOutstanding } from "./batch/batch-effects.ts";
export { cancelSubtask } from "./batch/cancel-subtask.ts";
export { reserveCall } from "./batch/reserve.ts";
export {
  callbackIdOf,
  continuationMessage,
  continuationsOf,
  enqueueTurn,
} from "./continuation/continuation-message.ts";
export { outcomeOf } from "./continuation/show-results.ts";
export { delegationHook, subtaskTurns } from "./delegation-turns.ts";
export { delegationDeps, type SubtaskDeps } from "./deps.ts";
export { readOwner } from "./owner/owner-record.ts";
export { openSubtasksFor } from "./owner/work-index.ts";
export { ownSubtask } from "./record/subtask-access.ts";
export { deliverToSubtask } from "./record/subtask-note.ts";
export { readSubtask, readSubtasks, subtasksOfAgent } from "./record/subtask-record.ts";
export { subagentTurn } from "./run/subagent.ts";
export { startDelegation } from "./start.ts";
