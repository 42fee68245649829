import { AppError } from "../contract/app-error.ts";
import type { ScheduleAddress } from "../contract/messages/addresses.ts";
import { isoTime } from "../contract/ports/clock.ts";
import { update } from "../contract/ports/update.ts";
import { isOpen, type Schedule, type ScheduleDeps, scheduleKey } from "./schedule-record.ts";
import { nextDue } from "./when/index.ts";

/** How long a closed schedule stays visible. */
const KEPT_MS = 30 * 24 * 3_600_000;

interface ScheduleChange {
  readonly before: Schedule;
  readonly after: Schedule;
}

/**
 * Updates a schedule by compare-and-set, together with the due index. The index entry is written first: a superfluous
 * entry is ignored when it is due, but a missing one would never fire. Undefined: there is no such schedule.
 */
export const changeSchedule = async (
  { store, dueTimes, checkpoint }: Pick<ScheduleDeps, "store" | "dueTimes" | "checkpoint">,
  address: ScheduleAddress,
  change: (schedule: Schedule) => Schedule,
): Promise<ScheduleChange | undefined> => {
  const changeAndIndex = async (known: Schedule | undefined) => {
    const changed = known && change(known);
    if (changed === undefined || changed === known) return known;
    const { nextDueAt } = changed;
    if (nextDueAt !== known?.nextDueAt && nextDueAt !== null)
      await dueTimes.add({ schedule: address, dueAt: nextDueAt });
    await checkpoint("schedule.indexed");
    return changed;
  };
  const { outcome, before, after } = await update(store, scheduleKey(address), changeAndIndex, { ttlMs: ttlOf });
  if (before === undefined || after === undefined) return undefined;
  if (outcome === "unchanged") return { before, after };
  await checkpoint("schedule.changed");
  const isMoved = after.nextDueAt !== before.nextDueAt;
  if (isMoved && before.nextDueAt !== null) await dueTimes.remove({ schedule: address, dueAt: before.nextDueAt });
  return { before, after };
};

/** A configured schedule has no TTL, because the next start would create it again. */
const ttlOf = (schedule: Schedule): number | undefined =>
  isOpen(schedule) || schedule.wording !== undefined ? undefined : KEPT_MS;

/** Stops all further runs. Idempotent. */
export const cancelSchedule = async (deps: ScheduleDeps, address: ScheduleAddress): Promise<void> => {
  await changeSchedule(deps, address, (schedule) =>
    schedule.status === "cancelled" ? schedule : { ...schedule, status: "cancelled", nextDueAt: null },
  );
};

/** Reactivates a paused schedule from its next time on and resets its failures. */
export const resumeSchedule = async (deps: ScheduleDeps, address: ScheduleAddress): Promise<void> => {
  const now = deps.clock.now();
  await changeSchedule(deps, address, (schedule) => {
    if (schedule.status !== "paused") return schedule;
    const next = schedule.when.kind === "once" ? now : nextDue(schedule.when, now);
    if (next === undefined) throw new AppError("bad-input", "Its last time has passed. Ask me for a new schedule.");
    const { putOff: _, ...rest } = schedule;
    return { ...rest, status: "active", failures: 0, nextDueAt: isoTime(next) };
  });
};
