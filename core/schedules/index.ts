export { cancelSchedule, createSchedule, pauseSchedule, resumeSchedule } from "./change-schedule.ts";
export { type ScheduleConfig, ScheduleInput } from "./config.ts";
export { DueIndex } from "./due-index.ts";
export { describeSchedule, findSchedule, openSchedules, type ScheduleViewer } from "./own-schedules.ts";
export { promptOfRun, runNow, scheduleHook } from "./runs/index.ts";
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
