import type { Audience } from "../contract/agent-reply.ts";
import { RevisionConflict } from "../contract/app-error.ts";
import type { Outcome } from "../contract/bus.ts";
import { ack } from "../contract/bus.ts";
import { isoTime } from "../contract/clock.ts";
import type { ScheduleAddress, ScheduleDue } from "../contract/schedule.ts";
import { subjectsOf } from "../contract/subjects.ts";
import { orderKey } from "../contract/user-message.ts";
import { changeSchedule } from "./change-schedule.ts";
import { nextDue } from "./due-times.ts";
import { planRun } from "./plan-run.ts";
import { runAudience } from "./run-audience.ts";
import { runMessage, runSessionOf } from "./run-message.ts";
import type { ScheduleRun } from "./run-record.ts";
import { runKey } from "./run-record.ts";
import type { ScheduleParts } from "./schedule-parts.ts";
import type { Schedule } from "./schedule-record.ts";
import { scheduleKey } from "./schedule-record.ts";

/**
 * A time has come: one run, or one recorded reason, and then the next time. Everything has fixed ids and is decided by
 * the run's record, so that any number of processes may do it, and any of them die half-way.
 */
export const handleScheduleDue = async (parts: ScheduleParts, due: ScheduleDue): Promise<Outcome> => {
  const { store, dueTimes, checkpoint } = parts;
  const schedule = (await store.get(scheduleKey(due)))?.value;
  if (schedule === undefined || !(due.byHand || isNext(schedule, due))) {
    await dueTimes.remove({ schedule: due, dueAt: due.dueAt });
    return ack;
  }
  const run = await settle(parts, schedule, due);
  await checkpoint("schedule.recorded");
  if (run.state === "started") await begin(parts, schedule, run);
  await checkpoint("schedule.begun");
  if (!due.byHand) await moveOn(parts, due, run);
  return ack;
};

/** The run could not be begun, however often it was tried: its time has that reason, and the next one comes. */
export const handleBuriedDue = async (parts: ScheduleParts, due: ScheduleDue): Promise<void> => {
  const { dueAt, byHand } = due;
  const reason = "it could not be begun: the log says why";
  const firedAt = isoTime(parts.clock.now());
  const run = await record(parts, due, {
    name: byHand ?? dueAt,
    dueAt,
    through: dueAt,
    firedAt,
    state: "skipped",
    reason,
  });
  if (byHand === undefined) await moveOn(parts, due, run);
};

const isNext = ({ status, nextDueAt }: Schedule, { dueAt }: ScheduleDue): boolean =>
  status === "active" && nextDueAt === dueAt;

/** Decides what becomes of the due time, once: whoever comes second goes by the first one's word. */
const settle = async (
  parts: ScheduleParts,
  schedule: Schedule,
  { dueAt, byHand }: ScheduleDue,
): Promise<ScheduleRun> => {
  const { store, clock } = parts;
  const now = clock.now();
  const planned =
    byHand === undefined
      ? planRun(schedule, dueAt, now)
      : { name: byHand, dueAt, firedAt: isoTime(now), through: dueAt, state: "started" as const };
  const audience = await runAudience(store, schedule);
  const run = planned.state === "skipped" ? planned : begun(schedule, planned, audience);
  return record(parts, schedule, run);
};

const record = async (
  { store, meter }: ScheduleParts,
  address: ScheduleAddress,
  run: ScheduleRun,
): Promise<ScheduleRun> => {
  const key = runKey(address, run.name);
  try {
    await store.put(key, run, { ifRevision: 0 });
    meter.count("schedule_runs_total", { agent: address.agent, state: run.state });
    return run;
  } catch (error) {
    const known = error instanceof RevisionConflict ? await store.get(key) : undefined;
    if (known === undefined) throw error;
    return known.value;
  }
};

/** A run is work that begins now: it reaches the accounts that are the person's now (D3). */
const begun = (schedule: Schedule, planned: ScheduleRun, audience: Audience | undefined): ScheduleRun => {
  if (audience !== undefined) return { ...planned, sessionId: runSessionOf(schedule, planned.name), audience };
  return { ...planned, state: "skipped", reason: "the person it is for has not written to me in private yet" };
};

const begin = async ({ bus, logger }: ScheduleParts, schedule: Schedule, run: ScheduleRun): Promise<void> => {
  if (run.audience === undefined) return;
  const message = runMessage(schedule, run, run.audience);
  const { id: scheduleId, tenant, agent } = schedule;
  logger.info({ schedule: scheduleId, dueAt: run.dueAt, agent, traceId: message.traceId }, "schedule run begins");
  const subject = subjectsOf(tenant).userMessage(agent);
  await bus.publish(subject, message, { id: message.id, key: orderKey(message) });
};

const moveOn = async (parts: ScheduleParts, due: ScheduleDue, run: ScheduleRun): Promise<void> => {
  const through = Date.parse(run.through);
  await changeSchedule(parts, due, (schedule) => {
    if (!isNext(schedule, due)) return schedule;
    const next = nextDue(schedule.when, through);
    if (next === undefined) return { ...schedule, nextDueAt: null, status: "ended" };
    return { ...schedule, nextDueAt: isoTime(next) };
  });
};
