import { hash } from "node:crypto";
import { RevisionConflict } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import type { Destination } from "../delivery/index.ts";
import { stableId } from "../lib/index.ts";
import { changeSchedule } from "./change-schedule.ts";
import type { ScheduleConfig } from "./config.ts";
import { configuredWhen } from "./config.ts";
import { isOpen } from "./create-schedule.ts";
import type { AgentPlace } from "./due-index.ts";
import { nextDue } from "./due-times.ts";
import type { ScheduleDeps } from "./schedule-parts.ts";
import type { Schedule } from "./schedule-record.ts";
import { CONFIGURED, scheduleKey, schedulesOf } from "./schedule-record.ts";

export interface ConfiguredSchedule extends Omit<ScheduleConfig, "deliverTo"> {
  readonly destination: Destination;
}

/**
 * Makes the stored schedules those of the configuration: new ones begin, changed ones go by their new words, and those
 * that are gone end. One that is as it was keeps its next time and its failures.
 */
export const syncConfigured = async (
  parts: ScheduleDeps,
  place: AgentPlace,
  configured: readonly ConfiguredSchedule[],
): Promise<void> => {
  const wanted = configured.map((schedule) => toSchedule(place, schedule, parts.clock.now()));
  for await (const { value } of parts.store.list(schedulesOf({ ...place, owner: CONFIGURED }))) {
    if (value.wording === undefined || wanted.some(({ id }) => id === value.id)) continue;
    // Without its words: put back into the configuration, it is a new one.
    await changeSchedule(parts, value, ({ wording: _, ...known }) =>
      isOpen(known) ? { ...known, status: "cancelled", nextDueAt: null } : known,
    );
  }
  for (const schedule of wanted) await bring(parts, schedule);
};

const bring = async (parts: ScheduleDeps, schedule: Schedule): Promise<void> => {
  const known = await parts.store.get(scheduleKey(schedule));
  if (known === undefined) {
    if (schedule.nextDueAt !== null) await parts.dueTimes.add({ schedule, dueAt: schedule.nextDueAt });
    await parts.store.put(scheduleKey(schedule), schedule, { ifRevision: 0 }).catch((error: unknown) => {
      // Another process starts with the same configuration.
      if (!(error instanceof RevisionConflict)) throw error;
    });
    return;
  }
  await changeSchedule(parts, schedule, (stored) => (stored.wording === schedule.wording ? stored : schedule));
};

const toSchedule = (place: AgentPlace, configured: ConfiguredSchedule, now: number): Schedule => {
  const { name, description, prompt, missed, destination } = configured;
  const when = configuredWhen(configured);
  const next = nextDue(when, now);
  return {
    ...place,
    owner: CONFIGURED,
    id: stableId("schedule", name).slice(0, "schedule-".length + 8),
    description,
    prompt,
    when,
    missed,
    destination,
    asker: { personId: CONFIGURED, accountId: CONFIGURED, name: place.agent },
    madeIn: "configuration",
    wording: hash("sha256", JSON.stringify(configured), "hex"),
    status: next === undefined ? "ended" : "active",
    nextDueAt: next === undefined ? null : isoTime(next),
    failures: 0,
    createdAt: isoTime(now),
  };
};
