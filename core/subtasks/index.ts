export { shortResult, stages, type WorkItem } from "./activity-items.ts";
export { ActivityPublisher } from "./activity-publisher.ts";
export { afterGate, wake } from "./after-gate.ts";
export { type Batch, openCalls } from "./batch.ts";
export { cancelSubtask, ownSubtask } from "./cancel-subtask.ts";
export { changeSubtask } from "./change-subtask.ts";
export {
  amendmentIdOf,
  callbackIdOf,
  endIdOf,
  lateIdOf,
  peerWakeIdOf,
  questionIdOf,
  synthesisIdOf,
  wakeUpIdOf,
  wordIdOf,
} from "./continuation-ids.ts";
export { continuationMessage } from "./continuation-message.ts";
export type { DelegatedCalls } from "./delegated-calls.ts";
export { delegationTools } from "./delegation-tools.ts";
export { delegationHook, subtaskTurns } from "./delegation-turns.ts";
export { countCallEnd } from "./gate.ts";
export { isOutstanding } from "./is-outstanding.ts";
export { lastResort } from "./last-resort.ts";
export { addNotification, type Notification, removeNotifications } from "./notifications.ts";
export { readOwner, withBatch } from "./owner-record.ts";
export { OwnerRecords } from "./owner-records.ts";
export { openBatch } from "./reserve.ts";
export { outcomeOf } from "./show-results.ts";
export { startDelegation } from "./start-delegation.ts";
export { subagentTurn } from "./subagent.ts";
export { cancelAction } from "./subtask-actions.ts";
export type { SubtaskParts } from "./subtask-parts.ts";
export { readSubtask, readSubtasks, subtasksOfAgent } from "./subtask-record.ts";
export { withNote } from "./with-note.ts";
export { ownersWorkingFor, pointToWork } from "./work-index.ts";
export { startSweeping } from "./workspace-sweeper.ts";
