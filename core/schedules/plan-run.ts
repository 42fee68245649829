import { isoTime } from "../contract/clock.ts";
import { lastDue } from "./due-times.ts";
import type { ScheduleRun } from "./run-record.ts";
import type { Schedule } from "./schedule-record.ts";

/** A run that begins later than this after its time is one that was missed. */
const LATE_MS = 60_000;

/** What is to become of a due time, now that somebody sees that it has come. It also settles all that passed since. */
export const planRun = (
  { when, missed }: Pick<Schedule, "when" | "missed">,
  dueAt: string,
  now: number,
): Pick<ScheduleRun, "name" | "dueAt" | "state" | "firedAt" | "through" | "reason"> => {
  const through = Math.max(Date.parse(dueAt), lastDue(when, now) ?? 0);
  const common = { name: dueAt, dueAt, firedAt: isoTime(now), through: isoTime(through) };
  if (missed === "skip" && now - through > LATE_MS) {
    return { ...common, state: "skipped", reason: "its time passed while nothing was running" };
  }
  return { ...common, state: "started" };
};
