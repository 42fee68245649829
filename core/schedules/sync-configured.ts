import { hash } from "node:crypto";
import type { AgentRef } from "../contract/messages/addresses.ts";
import { isoTime } from "../contract/ports/clock.ts";
import { createOnce } from "../contract/ports/update.ts";
import type { Destination } from "../delivery/index.ts";
import { stableId } from "../lib/index.ts";
import { changeSchedule } from "./change-schedule.ts";
import { configuredWhen, type ScheduleConfig } from "./config.ts";
import {
  CONFIGURED,
  configuredOwner,
  isOpen,
  type Schedule,
  type ScheduleDeps,
  scheduleKey,
  schedulesOf,
} from "./schedule-record.ts";
import { nextDue } from "./when/index.ts";

export interface ConfiguredSchedule extends Omit<ScheduleConfig, "deliverTo"> {
  readonly destination: Destination;
}

/**
 * Reconciles the stored schedules with the configuration: creates new ones, updates changed ones and cancels removed
 * ones. An unchanged schedule keeps its next due time and its failures.
 */
export const syncConfigured = async (
  deps: ScheduleDeps,
  ref: AgentRef,
  configured: readonly ConfiguredSchedule[],
): Promise<void> => {
  const declared = configured.map((schedule) => toSchedule(ref, schedule, deps.clock.now()));
  for await (const { value } of deps.store.list(schedulesOf({ ...ref, owner: CONFIGURED }))) {
    if (value.wording === undefined || declared.some(({ id }) => id === value.id)) continue;
    // Without its hash, a schedule that returns to the configuration counts as new.
    await changeSchedule(deps, value, ({ wording: _, ...known }) =>
      isOpen(known) ? { ...known, status: "cancelled", nextDueAt: null } : known,
    );
  }
  for (const schedule of declared) await reconcile(deps, schedule);
};

const reconcile = async (deps: ScheduleDeps, schedule: Schedule): Promise<void> => {
  const known = await deps.store.get(scheduleKey(schedule));
  if (known === undefined) {
    if (schedule.nextDueAt !== null) await deps.dueTimes.add({ schedule, dueAt: schedule.nextDueAt });
    // The schedule exists if another process has started with the same configuration.
    await createOnce(deps.store, scheduleKey(schedule), schedule);
    return;
  }
  await changeSchedule(deps, schedule, (stored) => {
    if (stored.wording !== schedule.wording) return schedule;
    // 0.1.0 stored no causes.
    return stored.asker.causes === undefined ? { ...stored, asker: schedule.asker } : stored;
  });
};

const toSchedule = (ref: AgentRef, configured: ConfiguredSchedule, now: number): Schedule => {
  const { name, description, prompt, missed, destination } = configured;
  const when = configuredWhen(configured);
  const next = nextDue(when, now);
  return {
    ...ref,
    ...configuredOwner(ref),
    id: stableId("schedule", name).slice(0, "schedule-".length + 8),
    description,
    prompt,
    when,
    missed,
    destination,
    madeIn: "configuration",
    wording: hash("sha256", JSON.stringify(configured), "hex"),
    status: next === undefined ? "ended" : "active",
    nextDueAt: next === undefined ? null : isoTime(next),
    failures: 0,
    createdAt: isoTime(now),
  };
};
