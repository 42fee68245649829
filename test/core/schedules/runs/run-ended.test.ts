import { beforeEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../../core/contract/messages/agent-reply.ts";
import type { SyntheticMessage } from "../../../../core/contract/messages/user-message.ts";
import type { Bus } from "../../../../core/contract/ports/bus.ts";
import { silentLogger as logger } from "../../../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../../../core/contract/ports/telemetry.ts";
import { createSchedule } from "../../../../core/schedules/change-schedule.ts";
import { DueIndex } from "../../../../core/schedules/due-index.ts";
import { scheduleHook } from "../../../../core/schedules/runs/run-ended.ts";
import { runKey, runMessage, type ScheduleRun } from "../../../../core/schedules/runs/run-record.ts";
import { type Schedule, type ScheduleDeps, scheduleKey } from "../../../../core/schedules/schedule-record.ts";
import { parseWhen } from "../../../../core/schedules/when/parse-when.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";

const NOW = Date.parse("2026-03-10T21:00:00Z");
const DUE = "2026-03-10T21:01:00.000Z";
const NEXT = "2026-03-10T21:02:00.000Z";
const address = { tenant: "default", agent: "mooring", owner: "web/ann", id: "schedule-00000001" };
const audience = {
  conversation: { channel: "web", room: "r", kind: "private" as const },
  personId: "p",
  accountId: "ann",
};

let store: MemoryStore;
let clock: ManualClock;
let replies: AgentReply[];
let schedule: Schedule;
/** Called at the checkpoint between the count of the outcome and the write of the run. */
let betweenCountAndWrite: () => Promise<unknown>;
let deps: ScheduleDeps;
beforeEach(async () => {
  clock = new ManualClock(NOW);
  store = new MemoryStore(clock);
  replies = [];
  betweenCountAndWrite = async () => undefined;
  const publish: Bus["publish"] = async (_subject, message) => {
    replies.push(message as AgentReply);
    return "stored";
  };
  const bus = { publish, signal() {} } as unknown as Bus;
  const checkpoint = async (name: string) => {
    if (name === "schedule.counted") await betweenCountAndWrite();
  };
  deps = { bus, store, clock, logger, meter, checkpoint, dueTimes: new DueIndex({ bus, store }) };
  schedule = await createSchedule(deps, {
    ...address,
    description: "brief",
    prompt: "p",
    when: parseWhen("every 1 m", { now: NOW, timeZone: "UTC" }),
    missed: "once",
    destination: { conversation: audience.conversation },
    asker: { personId: "p", accountId: "ann", name: "Ann" },
    madeIn: "chat",
  });
  await put(started(DUE));
});

const started = (dueAt: string): ScheduleRun => ({
  name: dueAt,
  dueAt,
  state: "started",
  firedAt: dueAt,
  through: dueAt,
});
const put = (run: ScheduleRun) => store.put(runKey(address, run.name), run);
const runAt = async (name: string) => (await store.get(runKey(address, name)))?.value;
/** Ends the turn of the run with this outcome. */
const end = async (outcome: "answered" | "failed") => {
  const message: SyntheticMessage = runMessage(schedule, started(DUE), audience);
  type Ended = Parameters<NonNullable<ReturnType<typeof scheduleHook>["onEnd"]>>[0];
  await scheduleHook(deps).onEnd?.({ message, entry: { outcome } } as unknown as Ended);
};

describe("given a run of a schedule whose turn ends (P3)", () => {
  it("when no other process writes its record, then the record has the outcome", async () => {
    await end("answered");
    expect(await runAt(DUE)).toMatchObject({ state: "ended", outcome: "answered" });
  });

  it("when another process writes its record first, then that record stays", async () => {
    betweenCountAndWrite = () => put({ ...started(DUE), state: "ended", outcome: "answered" });
    await end("failed");
    expect(await runAt(DUE)).toMatchObject({ state: "ended", outcome: "answered" });
  });

  it("when its record has ended already, then the outcome is not counted again", async () => {
    await put({ ...started(DUE), state: "ended", outcome: "failed" });
    await end("failed");
    expect((await store.get(scheduleKey(address)))?.value.failures).toBe(0);
  });

  it("when it fails, then the next run is postponed, and its own record has the outcome", async () => {
    clock.advance(60_000);
    await end("failed");
    expect((await store.get(scheduleKey(address)))?.value).toMatchObject({
      nextDueAt: "2026-03-10T21:06:00.000Z",
      failures: 1,
    });
    expect(await runAt(DUE)).toMatchObject({ state: "ended", outcome: "failed" });
  });

  it("when it fails and a postponed due time has a record, then that record stays", async () => {
    await store.put(scheduleKey(address), { ...schedule, nextDueAt: NEXT });
    await put({ ...started(NEXT), state: "ended", outcome: "answered" });
    await end("failed");
    expect(await runAt(NEXT)).toMatchObject({ state: "ended", outcome: "answered" });
    expect(replies).toEqual([]);
  });

  it("when it fails and a postponed due time has no record, then that time is recorded as skipped", async () => {
    await store.put(scheduleKey(address), { ...schedule, nextDueAt: NEXT });
    await end("failed");
    expect(await runAt(NEXT)).toMatchObject({ state: "skipped", reason: "postponed after 1 failures" });
  });
});
