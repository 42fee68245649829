import { isoTime } from "../contract/clock.ts";
import { lastDue, nextDue } from "./due-times.ts";
import type { Schedule } from "./schedule-record.ts";

export const PAUSE_AFTER = 5;
const FIRST_BACKOFF_MS = 5 * 60_000;
const LONGEST_BACKOFF_MS = 6 * 3_600_000;

export const afterSuccess = (schedule: Schedule, run: string): Schedule => {
  if (schedule.failures === 0) return schedule;
  const { putOff: _, ...rest } = schedule;
  return { ...rest, failures: 0, counted: run };
};

/**
 * The next time is put off, the longer the more often it failed; a schedule that runs once is tried again. After so
 * many failures in a row it is paused until somebody resumes it.
 */
export const afterFailure = (schedule: Schedule, run: string, now: number): Schedule => {
  const { putOff: _, ...rest } = schedule;
  const failed = { ...rest, failures: schedule.failures + 1, counted: run };
  if (schedule.status !== "active" && schedule.status !== "ended") return failed;
  if (failed.failures >= PAUSE_AFTER) return { ...failed, status: "paused", nextDueAt: null };
  const rested = now + Math.min(FIRST_BACKOFF_MS * 2 ** schedule.failures, LONGEST_BACKOFF_MS);
  if (schedule.when.kind === "once") return { ...failed, status: "active", nextDueAt: isoTime(rested) };
  const next = nextDue(schedule.when, rested - 1);
  if (next === undefined || schedule.nextDueAt === null || next <= Date.parse(schedule.nextDueAt)) return failed;
  const through = isoTime(lastDue(schedule.when, next - 1) ?? Date.parse(schedule.nextDueAt));
  return { ...failed, nextDueAt: isoTime(next), putOff: { dueAt: schedule.nextDueAt, through } };
};
