import { RevisionConflict } from "../contract/app-error.ts";
import type { Outcome } from "../contract/bus.ts";
import { ack } from "../contract/bus.ts";
import { isoTime } from "../contract/clock.ts";
import type { ScheduleAddress, ScheduleDue } from "../contract/schedule.ts";
import { subjectsOf } from "../contract/subjects.ts";
import { orderKey } from "../contract/user-message.ts";
import { type FallbackDeps, reportUndeliverable } from "../delivery/undeliverable/index.ts";
import { changeSchedule } from "./change-schedule.ts";
import { nextDue } from "./due-times.ts";
import { planRun } from "./plan-run.ts";
import { runIdOf, runMessage, runSessionOf, runTraceOf } from "./run-message.ts";
import type { ScheduleRun } from "./run-record.ts";
import { runKey } from "./run-record.ts";
import type { RunTarget } from "./run-target.ts";
import { runTarget } from "./run-target.ts";
import type { ScheduleDeps } from "./schedule-parts.ts";
import type { Schedule } from "./schedule-record.ts";
import { scheduleKey } from "./schedule-record.ts";

export interface RunDeps extends ScheduleDeps, Omit<FallbackDeps, "store"> {}

/**
 * A time has come: one run, or one recorded reason, and then the next time. Everything has fixed ids and is decided by
 * the run's record, so that any number of processes may do it, and any of them die half-way.
 */
export const handleScheduleDue = async (parts: RunDeps, due: ScheduleDue): Promise<Outcome> => {
  const { store, dueTimes, checkpoint } = parts;
  const schedule = (await store.get(scheduleKey(due)))?.value;
  if (schedule === undefined || !(due.byHand || isNext(schedule, due))) {
    await dueTimes.remove({ schedule: due, dueAt: due.dueAt });
    return ack;
  }
  const run = await settle(parts, schedule, due);
  await checkpoint("schedule.recorded");
  if (run.gone !== undefined) await reportUndeliverable(parts, run.gone, causeOfReport(schedule, run));
  if (run.state === "started") await begin(parts, schedule, run);
  await checkpoint("schedule.begun");
  if (!due.byHand) await moveOn(parts, due, run);
  return ack;
};

/** The run could not be begun, however often it was tried: its time has that reason, and the next one comes. */
export const handleBuriedDue = async (parts: ScheduleDeps, due: ScheduleDue): Promise<void> => {
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
const settle = async (parts: RunDeps, schedule: Schedule, { dueAt, byHand }: ScheduleDue): Promise<ScheduleRun> => {
  const now = parts.clock.now();
  const planned =
    byHand === undefined
      ? planRun(schedule, dueAt, now)
      : { name: byHand, dueAt, firedAt: isoTime(now), through: dueAt, state: "started" as const };
  const run = planned.state === "skipped" ? planned : begun(schedule, planned, await runTarget(parts, schedule));
  return record(parts, schedule, run);
};

const record = async (
  { store, meter }: ScheduleDeps,
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
const begun = (schedule: Schedule, planned: ScheduleRun, target: RunTarget): ScheduleRun =>
  target.audience === undefined
    ? { ...planned, ...target, state: "skipped", reason: target.gone.reason }
    : { ...planned, ...target, sessionId: runSessionOf(schedule, planned.name) };

const causeOfReport = (schedule: Schedule, { name }: ScheduleRun) => ({
  id: runIdOf(schedule, name),
  tenant: schedule.tenant,
  agent: schedule.agent,
  traceId: runTraceOf(schedule, name),
});

const begin = async ({ bus, logger }: ScheduleDeps, schedule: Schedule, run: ScheduleRun): Promise<void> => {
  if (run.audience === undefined) return;
  const message = runMessage(schedule, run, run.audience);
  const { id: scheduleId, tenant, agent } = schedule;
  logger.info({ schedule: scheduleId, dueAt: run.dueAt, agent, traceId: message.traceId }, "schedule run begins");
  const subject = subjectsOf(tenant).userMessage(agent);
  await bus.publish(subject, message, { id: message.id, key: orderKey(message) });
};

const moveOn = async (parts: ScheduleDeps, due: ScheduleDue, run: ScheduleRun): Promise<void> => {
  const through = Date.parse(run.through);
  await changeSchedule(parts, due, (schedule) => {
    if (!isNext(schedule, due)) return schedule;
    const next = nextDue(schedule.when, through);
    if (next === undefined) return { ...schedule, nextDueAt: null, status: "ended" };
    return { ...schedule, nextDueAt: isoTime(next) };
  });
};
