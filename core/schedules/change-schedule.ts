import { RevisionConflict } from "../contract/app-error.ts";
import type { ScheduleAddress } from "../contract/schedule.ts";
import { isOpen } from "./create-schedule.ts";
import type { ScheduleDeps } from "./schedule-parts.ts";
import type { Schedule } from "./schedule-record.ts";
import { scheduleKey } from "./schedule-record.ts";

/** How long one that is over can still be looked at. */
const KEPT_MS = 30 * 24 * 3_600_000;

export interface ScheduleChange {
  readonly before: Schedule;
  readonly after: Schedule;
}

/**
 * Changes a schedule by compare-and-set, and the index of due times with it. The index is told first: an entry too
 * many is ignored when its time comes, one too few would never come. Undefined: there is no such schedule.
 */
export const changeSchedule = async (
  { store, dueTimes, checkpoint }: Pick<ScheduleDeps, "store" | "dueTimes" | "checkpoint">,
  address: ScheduleAddress,
  change: (schedule: Schedule) => Schedule,
): Promise<ScheduleChange | undefined> => {
  for (;;) {
    const found = await store.get(scheduleKey(address));
    if (found === undefined) return undefined;
    const before = found.value;
    const after = change(before);
    if (after === before) return { before, after };
    const moved = after.nextDueAt !== before.nextDueAt;
    if (moved && after.nextDueAt !== null) await dueTimes.add({ schedule: address, dueAt: after.nextDueAt });
    await checkpoint("schedule.indexed");
    try {
      // One that the configuration still has would begin anew if it were forgotten.
      const isPassing = !isOpen(after) && after.wording === undefined;
      await store.put(scheduleKey(address), after, {
        ifRevision: found.revision,
        ...(isPassing && { ttlMs: KEPT_MS }),
      });
    } catch (error) {
      if (error instanceof RevisionConflict) continue;
      throw error;
    }
    await checkpoint("schedule.changed");
    if (moved && before.nextDueAt !== null) await dueTimes.remove({ schedule: address, dueAt: before.nextDueAt });
    return { before, after };
  }
};
