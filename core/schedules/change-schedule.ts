import { AppError } from "../contract/app-error.ts";
import type { ScheduleAddress } from "../contract/messages/addresses.ts";
import type { Asker } from "../contract/messages/work-context.ts";
import { isoTime } from "../contract/ports/clock.ts";
import { createOrRead, update } from "../contract/ports/update.ts";
import { ToldError } from "../contract/texts/told-error.ts";
import { publishDue } from "./due-index.ts";
import { isOpen, type Schedule, type ScheduleDeps, scheduleKey, schedulesOf } from "./schedule-record.ts";
import { nextDue } from "./when/index.ts";

export const MAX_PROMPT_CHARS = 20_000;
export const MAX_DESCRIPTION_CHARS = 200;
/** Open schedules per account. */
const MAX_SCHEDULES = 100;

export type NewSchedule = Pick<
  Schedule,
  | "tenant"
  | "agent"
  | "owner"
  | "id"
  | "description"
  | "prompt"
  | "when"
  | "missed"
  | "destination"
  | "asker"
  | "madeIn"
> &
  Partial<Pick<Schedule, "link" | "madeFor">>;

/**
 * Creates a schedule, which is stored when this resolves. Idempotent by id: a repeat returns the first schedule. A time
 * that was still ahead at `askedAt` is accepted even if a slow store lets it pass: the schedule is then due at once.
 */
export const createSchedule = async (
  deps: ScheduleDeps,
  draft: NewSchedule,
  askedAt = deps.clock.now(),
): Promise<Schedule> => {
  const { store, clock, dueTimes } = deps;
  if (draft.prompt.length > MAX_PROMPT_CHARS) {
    throw new AppError(
      "too-large",
      `the prompt has ${draft.prompt.length} characters; the maximum is ${MAX_PROMPT_CHARS}`,
    );
  }
  const known = await store.get(scheduleKey(draft));
  if (known !== undefined) return publishIfMissed(deps, known.value);
  await checkLimit(deps, draft);
  const next = nextDue(draft.when, askedAt);
  if (next === undefined) throw new AppError("bad-input", "the time of the schedule has already passed");
  const schedule: Schedule = {
    ...draft,
    status: "active",
    nextDueAt: isoTime(next),
    failures: 0,
    createdAt: isoTime(clock.now()),
  };
  await dueTimes.add({ schedule: draft, dueAt: isoTime(next) });
  await deps.checkpoint("schedule.indexed");
  return publishIfMissed(deps, (await createOrRead(store, scheduleKey(draft), schedule)).value);
};

/** Far more than the clocks of two processes differ, so that a distant due time costs no read. */
const MAX_CLOCK_SKEW_MS = 5 * 60_000;

/**
 * Publishes the due time of a stored schedule again if its index entry is missing: the time passed while the schedule was
 * being written, so the handler of the due time did not find it and removed the entry.
 */
const publishIfMissed = async (deps: ChangeDeps, schedule: Schedule): Promise<Schedule> => {
  const { status, nextDueAt: dueAt, tenant, agent, owner, id } = schedule;
  if (status !== "active" || dueAt === null) return schedule;
  if (Date.parse(dueAt) > deps.clock.now() + MAX_CLOCK_SKEW_MS) return schedule;
  if (!(await deps.dueTimes.has({ schedule, dueAt }))) {
    await publishDue(deps, { tenant, agent, owner, id, dueAt }, { isRepeat: true });
  }
  return schedule;
};

/**
 * Creations at the same time may exceed the limit by their number, because each one counts before the others are stored.
 * The limit bounds the load, so that is acceptable; the next creation is refused.
 */
const checkLimit = async ({ store }: ScheduleDeps, draft: NewSchedule): Promise<void> => {
  if (draft.madeIn === "configuration") return;
  let count = 0;
  for await (const { value } of store.list(schedulesOf(draft))) if (isOpen(value)) count++;
  if (count >= MAX_SCHEDULES) {
    throw new AppError("forbidden", `the person has ${count} schedules, which is the maximum; cancel some first`);
  }
};

/** How long a closed schedule stays visible. */
const CLOSED_TTL_MS = 30 * 24 * 3_600_000;

type ChangeDeps = Pick<ScheduleDeps, "bus" | "store" | "clock" | "dueTimes" | "checkpoint">;

interface ScheduleChange {
  readonly before: Schedule;
  readonly after: Schedule;
}

/**
 * Updates a schedule by compare-and-set, together with the due index. The index entry is written first: a superfluous
 * entry is ignored when it is due, but a missing one would never fire. Undefined: there is no such schedule.
 */
export const changeSchedule = async (
  deps: ChangeDeps,
  address: ScheduleAddress,
  change: (schedule: Schedule) => Schedule,
): Promise<ScheduleChange | undefined> => {
  const { store, dueTimes, checkpoint } = deps;
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
  await publishIfMissed(deps, after);
  if (outcome === "unchanged") return { before, after };
  await checkpoint("schedule.changed");
  const isMoved = after.nextDueAt !== before.nextDueAt;
  if (isMoved && before.nextDueAt !== null) await dueTimes.remove({ schedule: address, dueAt: before.nextDueAt });
  return { before, after };
};

/** A configured schedule has no TTL, because the next start would create it again. */
const ttlOf = (schedule: Schedule): number | undefined =>
  isOpen(schedule) || schedule.wording !== undefined ? undefined : CLOSED_TTL_MS;

/** Stops all further runs. Idempotent. */
export const cancelSchedule = async (deps: ScheduleDeps, address: ScheduleAddress): Promise<void> => {
  await changeSchedule(deps, address, (schedule) =>
    schedule.status === "cancelled" ? schedule : { ...schedule, status: "cancelled", nextDueAt: null },
  );
};

/** Stops further runs until a person or an operator resumes it. Idempotent: the first reason stays. */
export const pauseSchedule = async (deps: ScheduleDeps, address: ScheduleAddress, reason: string): Promise<void> => {
  await changeSchedule(deps, address, (schedule) => {
    if (schedule.status === "paused") return schedule;
    if (schedule.status !== "active")
      throw new AppError("conflict", "This schedule has ended, so it cannot be paused.");
    return pausedSchedule(schedule, reason, deps.clock.now());
  });
};

export const pausedSchedule = (schedule: Schedule, reason: string, now: number): Schedule => ({
  ...schedule,
  status: "paused",
  nextDueAt: null,
  paused: { reason, at: isoTime(now) },
});

/** Reactivates a paused schedule from its next time on and resets its failures. Its runs have the rights of `asker`. */
export const resumeSchedule = async (deps: ScheduleDeps, address: ScheduleAddress, asker?: Asker): Promise<void> => {
  const now = deps.clock.now();
  await changeSchedule(deps, address, (schedule) => {
    if (schedule.status !== "paused") return schedule;
    const next = schedule.when.kind === "once" ? now : nextDue(schedule.when, now);
    if (next === undefined) throw new ToldError("bad-input", ({ schedules }) => schedules.noMoreRuns);
    const { putOff: _, paused: __, ...rest } = schedule;
    return {
      ...rest,
      status: "active",
      failures: 0,
      nextDueAt: isoTime(next),
      resumedAt: isoTime(now),
      ...(asker && { asker }),
    };
  });
};
