import type { ScheduleAddress, ScheduleDue } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { orderKey } from "../../contract/messages/user-message.ts";
import { ack, type Outcome } from "../../contract/ports/bus.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { createOrRead } from "../../contract/ports/update.ts";
import { english } from "../../contract/texts/texts.ts";
import { publishReply, textsForReaders } from "../../delivery/index.ts";
import { deliveryFailureText, type FallbackDeps, reportUndeliverable } from "../../delivery/undelivered/index.ts";
import type { LastSeen } from "../../people/index.ts";
import type { BlockedAccounts } from "../../rights/index.ts";
import type { Agent } from "../../turns/index.ts";
import { changeSchedule, pausedSchedule } from "../change-schedule.ts";
import { publishDue } from "../due-index.ts";
import { ownerOf, type Schedule, type ScheduleDeps, scheduleKey } from "../schedule-record.ts";
import { lastDue, nextDue } from "../when/index.ts";
import { reasonToPause, reportRefusedRun } from "./may-run.ts";
import { runIdOf, runKey, runMessage, runSessionOf, runTraceOf, type ScheduleRun } from "./run-record.ts";
import { type RunTarget, runTarget } from "./run-target.ts";

/** Starts an extra run at once. `requestId` makes it idempotent: the same request is the same run. */
export const runNow = async (deps: ScheduleDeps, schedule: Schedule, requestId: string): Promise<void> => {
  const { tenant, agent, owner, id } = schedule;
  await publishDue(deps, { tenant, agent, owner, id, dueAt: isoTime(deps.clock.now()), byHand: requestId });
};

interface RunDeps extends ScheduleDeps, Omit<FallbackDeps, "store"> {
  readonly agent: Agent;
  readonly lastSeen: LastSeen;
  /** Absent: no account is blocked. */
  readonly blocked?: BlockedAccounts;
}

/**
 * Turns a due time into one run, or into a recorded reason for none, and schedules the next time. The run's record
 * decides and all ids are deterministic, so that repeats and concurrent processes are harmless.
 */
export const handleScheduleDue = async (deps: RunDeps, due: ScheduleDue): Promise<Outcome> => {
  const { checkpoint } = deps;
  const schedule = await dueSchedule(deps, due);
  if (schedule === undefined) return ack;
  const run = await decideRun(deps, schedule, due);
  await checkpoint("schedule.recorded");
  const localeOn = (channel: string) => deps.agent.defaultsOn(channel).locale;
  if (run.gone !== undefined) await reportUndeliverable({ ...deps, localeOn }, run.gone, causeOfReport(schedule, run));
  if (run.refused !== undefined) await reportRefusedRun(deps, schedule, run);
  if (run.state === "started") await startTurn(deps, schedule, run);
  if (run.pauses) await pauseAndNotify(deps, schedule, run);
  await checkpoint("schedule.begun");
  if (!due.byHand) await scheduleNext(deps, due, run);
  return ack;
};

/**
 * The schedule, if this is its due time; otherwise removes the index entry. The entry is written before the schedule, so
 * the schedule may be stored late: a write before the second read is found here, and the writer of a later one finds the
 * entry missing and publishes the due time again (`publishIfMissed`).
 */
const dueSchedule = async ({ store, dueTimes }: RunDeps, due: ScheduleDue): Promise<Schedule | undefined> => {
  const read = async () => {
    const schedule = (await store.get(scheduleKey(due)))?.value;
    return schedule && (due.byHand || isNext(schedule, due)) ? schedule : undefined;
  };
  const schedule = await read();
  if (schedule !== undefined) return schedule;
  await dueTimes.remove({ schedule: due, dueAt: due.dueAt });
  return read();
};

/** Records a due time whose handling was dead-lettered as skipped, and schedules the next time. */
export const handleDeadDue = async (deps: ScheduleDeps, due: ScheduleDue): Promise<void> => {
  const { dueAt, byHand } = due;
  const reason = "the run could not be started; the log has the error";
  const firedAt = isoTime(deps.clock.now());
  const run = await recordRun(deps, due, {
    name: byHand ?? dueAt,
    dueAt,
    through: dueAt,
    firedAt,
    state: "skipped",
    reason,
  });
  if (byHand === undefined) await scheduleNext(deps, due, run);
};

const isNext = ({ status, nextDueAt }: Schedule, { dueAt }: ScheduleDue): boolean =>
  status === "active" && nextDueAt === dueAt;

/** Decides about the due time once; a second process gets the first decision. */
const decideRun = async (deps: RunDeps, schedule: Schedule, { dueAt, byHand }: ScheduleDue): Promise<ScheduleRun> => {
  const now = deps.clock.now();
  const planned =
    byHand === undefined
      ? planRun(schedule, dueAt, now)
      : { name: byHand, dueAt, firedAt: isoTime(now), through: dueAt, state: "started" as const };
  if (planned.state === "skipped") return recordRun(deps, schedule, planned);
  if (isOfBlocked(deps, schedule)) {
    return recordRun(deps, schedule, { ...planned, state: "skipped", reason: "the account that made it is blocked" });
  }
  const target = await runTarget(deps, schedule);
  const reason = byHand === undefined ? await reasonToPause(deps, deps.agent, schedule) : undefined;
  if (reason === undefined) {
    return recordRun(deps, schedule, await withinBudget(deps, schedule, startedRun(schedule, planned, target)));
  }
  const { audience } = target;
  const paused = { ...planned, ...(audience && { audience }), state: "skipped", reason, pauses: true } as const;
  return recordRun(deps, schedule, paused);
};

const isOfBlocked = ({ blocked }: RunDeps, { tenant, owner }: Schedule): boolean =>
  blocked?.accountsOf(tenant).some(({ channel, accountId }) => ownerOf(channel, accountId) === owner) === true;

const recordRun = async (
  { store, meter }: ScheduleDeps,
  address: ScheduleAddress,
  run: ScheduleRun,
): Promise<ScheduleRun> => {
  const { value, isNew } = await createOrRead(store, runKey(address, run.name), run);
  if (isNew) meter.count("schedule_runs_total", { agent: address.agent, state: run.state });
  return value;
};

/** The run begins now, so its audience consists of the person's current accounts (D3). */
const startedRun = (schedule: Schedule, planned: ScheduleRun, target: RunTarget): ScheduleRun =>
  target.audience === undefined
    ? { ...planned, ...target, state: "skipped", reason: deliveryFailureText(target.gone.reason, english) }
    : { ...planned, ...target, sessionId: runSessionOf(schedule, planned.name) };

/** A run that a budget does not admit is skipped before it starts a turn (R2). */
const withinBudget = async (
  { agent: { budgets } }: RunDeps,
  schedule: Schedule,
  run: ScheduleRun,
): Promise<ScheduleRun> => {
  const { audience } = run;
  if (budgets === undefined || run.state !== "started" || audience === undefined) return run;
  const { asker } = schedule;
  const traceId = runTraceOf(schedule, run.name);
  const refusal = await budgets.refusalOf({ asker, audience, traceId, standing: { background: true } });
  if (refusal === undefined) return run;
  const { message: text, actions } = refusal;
  return { ...run, state: "skipped", reason: text, refused: { text, actions: [...actions] } };
};

const causeOfReport = (schedule: Schedule, { name }: ScheduleRun) => ({
  id: runIdOf(schedule, name),
  tenant: schedule.tenant,
  agent: schedule.agent,
  traceId: runTraceOf(schedule, name),
});

/** Pauses a schedule that may not run, and notifies its audience. Idempotent. */
const pauseAndNotify = async (deps: RunDeps, schedule: Schedule, run: ScheduleRun): Promise<void> => {
  const { id, tenant, agent, description } = schedule;
  const { name, dueAt, reason = "", audience } = run;
  await changeSchedule(deps, schedule, (current) =>
    isNext(current, { ...schedule, dueAt })
      ? pausedSchedule({ ...current, lastRun: name }, reason, deps.clock.now())
      : current,
  );
  deps.logger.info({ schedule: id, dueAt, agent, reason }, "schedule paused");
  if (audience === undefined) return;
  const { schedules } = await textsForReaders(deps.store, { tenant, audience, asker: schedule.asker });
  // The record has the reason in English, for operators.
  const why =
    reason === english.schedules.notAllowed ? schedules.notAllowed : schedules.away(deps.agent.pauseSchedulesAfterDays);
  await publishReply(deps.bus, {
    id: `${runIdOf(schedule, run.name)}/paused`,
    tenant,
    agent,
    sessionId: null,
    kind: "notice",
    markdown: schedules.pausedBecause(description, why, id),
    origin: null,
    audience,
    createdAt: run.firedAt,
    traceId: runTraceOf(schedule, run.name),
  });
};

const startTurn = async ({ bus, logger }: ScheduleDeps, schedule: Schedule, run: ScheduleRun): Promise<void> => {
  if (run.audience === undefined) return;
  const message = runMessage(schedule, run, run.audience);
  const { id: scheduleId, tenant, agent } = schedule;
  logger.info({ schedule: scheduleId, dueAt: run.dueAt, agent, traceId: message.traceId }, "schedule run started");
  const subject = subjectsOf(tenant).userMessage(agent);
  await bus.publish(subject, message, { id: message.id, key: orderKey(message) });
};

const scheduleNext = async (deps: ScheduleDeps, due: ScheduleDue, run: ScheduleRun): Promise<void> => {
  const through = Date.parse(run.through);
  await changeSchedule(deps, due, (schedule) => {
    if (!isNext(schedule, due)) return schedule;
    const next = nextDue(schedule.when, through);
    if (next === undefined) return { ...schedule, lastRun: run.name, nextDueAt: null, status: "ended" };
    return { ...schedule, lastRun: run.name, nextDueAt: isoTime(next) };
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
    return { ...common, state: "skipped", reason: "its time passed during downtime" };
  }
  return { ...common, state: "started" };
};
