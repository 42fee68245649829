import { AppError } from "../contract/app-error.ts";
import { isoTime } from "../contract/ports/clock.ts";
import { createOrRead } from "../contract/ports/update.ts";
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
      `the prompt has ${draft.prompt.length} characters; ${MAX_PROMPT_CHARS} is the most`,
    );
  }
  const known = await store.get(scheduleKey(draft));
  if (known !== undefined) return known.value;
  await checkLimit(deps, draft);
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
  await deps.checkpoint("schedule.indexed");
  return (await createOrRead(store, scheduleKey(draft), schedule)).value;
};

const checkLimit = async ({ store }: ScheduleDeps, draft: NewSchedule): Promise<void> => {
  if (draft.madeIn === "configuration") return;
  let count = 0;
  for await (const { value } of store.list(schedulesOf(draft))) if (isOpen(value)) count++;
  if (count >= MAX_SCHEDULES) {
    throw new AppError("forbidden", `there are ${count} schedules already, the most one may have: cancel some first`);
  }
};
