import { AppError, RevisionConflict } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import { nextDue } from "./due-times.ts";
import type { ScheduleDeps } from "./schedule-parts.ts";
import type { Schedule } from "./schedule-record.ts";
import { scheduleKey, schedulesOf } from "./schedule-record.ts";

export const MAX_PROMPT_CHARS = 20_000;
export const MAX_DESCRIPTION_CHARS = 200;
/** Of one account, those that still run. */
const MOST_SCHEDULES = 100;

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
 * Stored when it resolves. Creating it again, with the same id, gives what was created first. A time that was to come at
 * `askedAt` is accepted, even if the store was slow and the time has passed: it is then due at once.
 */
export const createSchedule = async (
  parts: ScheduleDeps,
  draft: NewSchedule,
  askedAt = parts.clock.now(),
): Promise<Schedule> => {
  const { store, clock, dueTimes } = parts;
  if (draft.prompt.length > MAX_PROMPT_CHARS) {
    throw new AppError(
      "too-large",
      `the prompt has ${draft.prompt.length} characters; ${MAX_PROMPT_CHARS} is the most`,
    );
  }
  const known = await store.get(scheduleKey(draft));
  if (known !== undefined) return known.value;
  await checkRoom(parts, draft);
  const next = nextDue(draft.when, askedAt);
  if (next === undefined) throw new AppError("bad-input", "its time has passed already");
  const schedule: Schedule = {
    ...draft,
    status: "active",
    nextDueAt: isoTime(next),
    failures: 0,
    createdAt: isoTime(clock.now()),
  };
  await dueTimes.add({ schedule: draft, dueAt: isoTime(next) });
  await parts.checkpoint("schedule.indexed");
  try {
    await store.put(scheduleKey(draft), schedule, { ifRevision: 0 });
    return schedule;
  } catch (error) {
    const first = error instanceof RevisionConflict ? await store.get(scheduleKey(draft)) : undefined;
    if (first === undefined) throw error;
    return first.value;
  }
};

const checkRoom = async ({ store }: ScheduleDeps, draft: NewSchedule): Promise<void> => {
  if (draft.madeIn === "configuration") return;
  let count = 0;
  for await (const { value } of store.list(schedulesOf(draft))) if (isOpen(value)) count++;
  if (count >= MOST_SCHEDULES) {
    throw new AppError("forbidden", `there are ${count} schedules already, the most one may have: cancel some first`);
  }
};

export const isOpen = ({ status }: Pick<Schedule, "status">): boolean => status === "active" || status === "paused";
