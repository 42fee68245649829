import type { ScheduleAddress, ScheduleDue } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { orderKey } from "../../contract/messages/user-message.ts";
import { ack, type Outcome } from "../../contract/ports/bus.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { createOrRead } from "../../contract/ports/update.ts";
import { type FallbackDeps, reportUndeliverable } from "../../delivery/undeliverable/index.ts";
import { changeSchedule } from "../change-schedule.ts";
import { type Schedule, type ScheduleDeps, scheduleKey } from "../schedule-record.ts";
import { lastDue, nextDue } from "../when/index.ts";
import { runIdOf, runMessage, runSessionOf, runTraceOf } from "./run-message.ts";
import { runKey, type ScheduleRun } from "./run-record.ts";
import { type RunTarget, runTarget } from "./run-target.ts";

interface RunDeps extends ScheduleDeps, Omit<FallbackDeps, "store"> {}

/**
 * Turns a due time into one run, or into a recorded reason for none, and schedules the next time. The run's record
 * decides and all ids are deterministic, so that repeats and concurrent processes are harmless.
 */
export const handleScheduleDue = async (deps: RunDeps, due: ScheduleDue): Promise<Outcome> => {
  const { store, dueTimes, checkpoint } = deps;
  const schedule = (await store.get(scheduleKey(due)))?.value;
  if (schedule === undefined || !(due.byHand || isNext(schedule, due))) {
    await dueTimes.remove({ schedule: due, dueAt: due.dueAt });
    return ack;
  }
  const run = await settle(deps, schedule, due);
  await checkpoint("schedule.recorded");
  if (run.gone !== undefined) await reportUndeliverable(deps, run.gone, causeOfReport(schedule, run));
  if (run.state === "started") await begin(deps, schedule, run);
  await checkpoint("schedule.begun");
  if (!due.byHand) await moveOn(deps, due, run);
  return ack;
};

/** Records a due time whose handling was dead-lettered as skipped, and schedules the next time. */
export const handleDeadDue = async (deps: ScheduleDeps, due: ScheduleDue): Promise<void> => {
  const { dueAt, byHand } = due;
  const reason = "it could not be begun: the log says why";
  const firedAt = isoTime(deps.clock.now());
  const run = await record(deps, due, {
    name: byHand ?? dueAt,
    dueAt,
    through: dueAt,
    firedAt,
    state: "skipped",
    reason,
  });
  if (byHand === undefined) await moveOn(deps, due, run);
};

const isNext = ({ status, nextDueAt }: Schedule, { dueAt }: ScheduleDue): boolean =>
  status === "active" && nextDueAt === dueAt;

/** Decides about the due time once; a second process gets the first decision. */
const settle = async (deps: RunDeps, schedule: Schedule, { dueAt, byHand }: ScheduleDue): Promise<ScheduleRun> => {
  const now = deps.clock.now();
  const planned =
    byHand === undefined
      ? planRun(schedule, dueAt, now)
      : { name: byHand, dueAt, firedAt: isoTime(now), through: dueAt, state: "started" as const };
  const run = planned.state === "skipped" ? planned : begun(schedule, planned, await runTarget(deps, schedule));
  return record(deps, schedule, run);
};

const record = async (
  { store, meter }: ScheduleDeps,
  address: ScheduleAddress,
  run: ScheduleRun,
): Promise<ScheduleRun> => {
  const { value, isNew } = await createOrRead(store, runKey(address, run.name), run);
  if (isNew) meter.count("schedule_runs_total", { agent: address.agent, state: run.state });
  return value;
};

/** The run begins now, so its audience consists of the person's current accounts (D3). */
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
  logger.info({ schedule: scheduleId, dueAt: run.dueAt, agent, traceId: message.traceId }, "schedule run started");
  const subject = subjectsOf(tenant).userMessage(agent);
  await bus.publish(subject, message, { id: message.id, key: orderKey(message) });
};

const moveOn = async (deps: ScheduleDeps, due: ScheduleDue, run: ScheduleRun): Promise<void> => {
  const through = Date.parse(run.through);
  await changeSchedule(deps, due, (schedule) => {
    if (!isNext(schedule, due)) return schedule;
    const next = nextDue(schedule.when, through);
    if (next === undefined) return { ...schedule, nextDueAt: null, status: "ended" };
    return { ...schedule, nextDueAt: isoTime(next) };
  });
};

/** A run that starts later than this has missed its time. */
const LATE_MS = 60_000;

/** Decides between a run and a skip for a due time and for all later ones that have passed since. */
const planRun = (
  { when, missed }: Pick<Schedule, "when" | "missed">,
  dueAt: string,
  now: number,
): Pick<ScheduleRun, "name" | "dueAt" | "state" | "firedAt" | "through" | "reason"> => {
  const through = Math.max(Date.parse(dueAt), lastDue(when, now) ?? 0);
  const common = { name: dueAt, dueAt, firedAt: isoTime(now), through: isoTime(through) };
  if (missed === "skip" && now - through > LATE_MS) {
    return { ...common, state: "skipped", reason: "its time passed while nothing was running" };
  }
  return { ...common, state: "started" };
};
