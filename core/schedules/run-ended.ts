import { z } from "zod";
import { RevisionConflict } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import type { ScheduleAddress } from "../contract/schedule.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { publishReply } from "../delivery/index.ts";
import { afterFailure, afterSuccess, PAUSE_AFTER } from "./after-run.ts";
import { changeSchedule } from "./change-schedule.ts";
import type { ScheduleRun } from "./run-record.ts";
import { runKey } from "./run-record.ts";
import type { ScheduleDeps } from "./schedule-parts.ts";
import type { Schedule } from "./schedule-record.ts";

const RunOf = z.looseObject({ owner: z.string(), id: z.string(), run: z.string() });

const TELL_AFTER = 2;

/** A turn has ended: if it was a schedule's run, its outcome counts (P3). Doing it again changes nothing. */
export const scheduleRunEnded = async (parts: ScheduleDeps, message: UserMessage, outcome: string): Promise<void> => {
  const of = RunOf.safeParse(message.synthetic?.data?.schedule).data;
  if (message.synthetic?.type !== "task" || of === undefined) return;
  const { owner, id, run: name } = of;
  const address = { tenant: message.tenant, agent: message.agent, owner, id };
  const found = await parts.store.get(runKey(address, name));
  if (found?.value.state !== "started") return;
  const change = await changeSchedule(parts, address, (schedule) => {
    if (schedule.counted === name) return schedule;
    return outcome === "failed" ? afterFailure(schedule, name, parts.clock.now()) : afterSuccess(schedule, name);
  });
  await parts.checkpoint("schedule.counted");
  if (change?.after.counted === name) await followUp(parts, address, change.after, message);
  await put(parts, address, { ...found.value, state: "ended", outcome }, found.revision);
};

const followUp = async (
  parts: ScheduleDeps,
  address: ScheduleAddress,
  schedule: Schedule,
  message: UserMessage,
): Promise<void> => {
  const { failures, putOff } = schedule;
  if (failures === TELL_AFTER || failures === PAUSE_AFTER) await tell(parts, schedule, message);
  if (putOff !== undefined && failures > 0) {
    const firedAt = isoTime(parts.clock.now());
    await put(
      parts,
      address,
      { ...putOff, name: putOff.dueAt, state: "skipped", firedAt, reason: `put off after ${failures} failures` },
      0,
    );
  }
};

/** Whoever was first has said the same. */
const put = async ({ store }: ScheduleDeps, address: ScheduleAddress, run: ScheduleRun, ifRevision: number) => {
  try {
    await store.put(runKey(address, run.name), run, { ifRevision });
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
  }
};

const tell = async ({ bus, clock }: ScheduleDeps, schedule: Schedule, message: UserMessage): Promise<void> => {
  if (message.synthetic === undefined) return;
  const { audience } = message.synthetic;
  const { id, tenant, agent, description, failures, status } = schedule;
  const markdown =
    status === "paused"
      ? `The schedule "${description}" failed ${failures} times in a row and is paused. Resume it with \`schedules resume ${id}\`.`
      : `The schedule "${description}" failed ${failures} times in a row. I keep trying, at longer intervals.`;
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
