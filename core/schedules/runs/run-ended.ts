import type { ScheduleAddress } from "../../contract/messages/addresses.ts";
import type { SyntheticMessage, TurnMessage } from "../../contract/messages/user-message.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { putIfUnchanged } from "../../contract/ports/update.ts";
import { publishReply, textsForReaders } from "../../delivery/index.ts";
import type { TurnHook } from "../../turns/source/index.ts";
import { changeSchedule, pausedSchedule } from "../change-schedule.ts";
import type { Schedule, ScheduleDeps } from "../schedule-record.ts";
import { lastDue, nextDue } from "../when/index.ts";
import { runKey, type ScheduleRun } from "./run-record.ts";

/** Consecutive failures after which the audience gets a notice. */
const NOTIFY_AFTER = 2;

/** Counts the outcome of a scheduled turn for its schedule (P3). Idempotent. */
const scheduleRunEnded = async (deps: ScheduleDeps, message: TurnMessage, outcome: string): Promise<void> => {
  if (message.kind !== "synthetic" || message.synthetic.type !== "task") return;
  const { schedule: run } = message.synthetic.data;
  if (run === undefined) return;
  const { owner, id, run: name } = run;
  const address = { tenant: message.tenant, agent: message.agent, owner, id };
  const found = await deps.store.get(runKey(address, name));
  if (found?.value.state !== "started") return;
  const change = await changeSchedule(deps, address, (schedule) => {
    if (schedule.counted === name) return schedule;
    return outcome === "failed" ? afterFailure(schedule, name, deps.clock.now()) : afterSuccess(schedule, name);
  });
  await deps.checkpoint("schedule.counted");
  if (change?.after.counted === name) await followUp(deps, address, change.after, message);
  await put(deps, address, { ...found.value, state: "ended", outcome }, found.revision);
};

const followUp = async (
  deps: ScheduleDeps,
  address: ScheduleAddress,
  schedule: Schedule,
  message: SyntheticMessage,
): Promise<void> => {
  const { failures, putOff } = schedule;
  if (failures === NOTIFY_AFTER || failures === PAUSE_AFTER) await notify(deps, schedule, message);
  if (putOff !== undefined && failures > 0) {
    const firedAt = isoTime(deps.clock.now());
    await put(
      deps,
      address,
      { ...putOff, name: putOff.dueAt, state: "skipped", firedAt, reason: `postponed after ${failures} failures` },
      0,
    );
  }
};

/** After a lost race nothing is left to do, because the other process has written the same record. */
const put = ({ store }: ScheduleDeps, address: ScheduleAddress, run: ScheduleRun, revision: number) =>
  putIfUnchanged(store, runKey(address, run.name), run, revision);

const notify = async (
  { bus, store, clock }: ScheduleDeps,
  schedule: Schedule,
  message: SyntheticMessage,
): Promise<void> => {
  const { audience } = message.synthetic;
  const { id, tenant, agent, description, failures, status } = schedule;
  const { schedules } = await textsForReaders(store, { tenant, audience, asker: message.synthetic.asker });
  const markdown =
    status === "paused"
      ? schedules.failedAndPaused(description, failures, id)
      : schedules.failing(description, failures);
  await publishReply(bus, {
    id: `${message.id}/trouble`,
    tenant,
    agent,
    sessionId: null,
    kind: "notice",
    markdown,
    origin: null,
    audience,
    createdAt: isoTime(clock.now()),
    traceId: message.traceId,
  });
};

/** Consecutive failures after which a schedule is paused. */
const PAUSE_AFTER = 5;
const FIRST_BACKOFF_MS = 5 * 60_000;
const MAX_BACKOFF_MS = 6 * 3_600_000;

const afterSuccess = (schedule: Schedule, run: string): Schedule => {
  if (schedule.failures === 0) return schedule;
  const { putOff: _, ...rest } = schedule;
  return { ...rest, failures: 0, counted: run };
};

/**
 * Postpones the next run with exponential backoff; a one-time schedule is retried. After PAUSE_AFTER failures in a row
 * the schedule is paused until a person resumes it.
 */
const afterFailure = (schedule: Schedule, run: string, now: number): Schedule => {
  const { putOff: _, ...rest } = schedule;
  const failed = { ...rest, failures: schedule.failures + 1, counted: run };
  if (schedule.status !== "active" && schedule.status !== "ended") return failed;
  if (failed.failures >= PAUSE_AFTER) return pausedSchedule(failed, `it failed ${failed.failures} times in a row`, now);
  const retryAt = now + Math.min(FIRST_BACKOFF_MS * 2 ** schedule.failures, MAX_BACKOFF_MS);
  if (schedule.when.kind === "once") return { ...failed, status: "active", nextDueAt: isoTime(retryAt) };
  const next = nextDue(schedule.when, retryAt - 1);
  if (next === undefined || schedule.nextDueAt === null || next <= Date.parse(schedule.nextDueAt)) return failed;
  const through = isoTime(lastDue(schedule.when, next - 1) ?? Date.parse(schedule.nextDueAt));
  return { ...failed, nextDueAt: isoTime(next), putOff: { dueAt: schedule.nextDueAt, through } };
};

/** Connects the end of turns with the schedules that started them. */
export const scheduleHook = (deps: ScheduleDeps): TurnHook => ({
  onEnd: ({ message, entry }) => scheduleRunEnded(deps, message, entry?.outcome ?? "failed"),
});
