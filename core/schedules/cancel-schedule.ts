import { AppError } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import type { ScheduleAddress } from "../contract/schedule.ts";
import { changeSchedule } from "./change-schedule.ts";
import { nextDue } from "./due-times.ts";
import type { ScheduleDeps } from "./schedule-parts.ts";

/** No further run begins. Cancelling it again changes nothing. */
export const cancelSchedule = async (parts: ScheduleDeps, address: ScheduleAddress): Promise<void> => {
  await changeSchedule(parts, address, (schedule) =>
    schedule.status === "cancelled" ? schedule : { ...schedule, status: "cancelled", nextDueAt: null },
  );
};

/** Goes on with the next time from now, as if nothing had failed. */
export const resumeSchedule = async (parts: ScheduleDeps, address: ScheduleAddress): Promise<void> => {
  const now = parts.clock.now();
  await changeSchedule(parts, address, (schedule) => {
    if (schedule.status !== "paused") return schedule;
    const next = schedule.when.kind === "once" ? now : nextDue(schedule.when, now);
    if (next === undefined) throw new AppError("bad-input", "its last time has passed: make a new schedule");
    const { putOff: _, ...rest } = schedule;
    return { ...rest, status: "active", failures: 0, nextDueAt: isoTime(next) };
  });
};
