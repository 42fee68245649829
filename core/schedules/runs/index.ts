export { handleDeadDue, handleScheduleDue, runNow } from "./handle-schedule-due.ts";
export { scheduleHook } from "./run-ended.ts";
export { promptOfRun, runIdOf, runKey, runsOf, type ScheduleRun } from "./run-record.ts";
