export { cancelSchedule, createSchedule, resumeSchedule } from "./change-schedule.ts";
export { type ScheduleConfig, ScheduleInput } from "./config.ts";
export { DueIndex } from "./due/due-index.ts";
export { describeSchedule, findSchedule, openSchedules, type ScheduleViewer } from "./own-schedules.ts";
export { runNow } from "./runs/handle-schedule-due.ts";
export { scheduleHook } from "./runs/run-ended.ts";
export type { ScheduleRun } from "./runs/run-record.ts";
export { promptOfRun, runIdOf, runsOf } from "./runs/run-record.ts";
export {
  consoleOwner,
  needOf,
  type Schedule,
  type ScheduleDeps,
  scheduleKey,
  schedulesOfAgent,
} from "./schedule-record.ts";
export { type ScheduleOptions, startSchedules } from "./start-schedules.ts";
export type { ConfiguredSchedule } from "./sync-configured.ts";
