import { beforeEach, describe, expect, it } from "vitest";
import type { Bus } from "../../../core/contract/ports/bus.ts";
import { silentLogger as logger } from "../../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../../core/contract/ports/telemetry.ts";
import { cancelSchedule, createSchedule, type NewSchedule } from "../../../core/schedules/change-schedule.ts";
import { DueIndex } from "../../../core/schedules/due-index.ts";
import {
  isOpen,
  type Schedule,
  type ScheduleDeps,
  scheduleKey,
  schedulesOf,
} from "../../../core/schedules/schedule-record.ts";
import { parseWhen } from "../../../core/schedules/when/parse-when.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";

const NOW = Date.parse("2026-03-10T21:00:00Z");
const MAX_SCHEDULES = 100;

const draft = (n: number, more: Partial<NewSchedule> = {}): NewSchedule => ({
  tenant: "default",
  agent: "mooring",
  owner: "web/ann",
  id: `schedule-${`${n}`.padStart(8, "0")}`,
  description: `brief ${n}`,
  prompt: "p",
  when: parseWhen("every 1 h", { now: NOW, timeZone: "UTC" }),
  missed: "once",
  destination: { conversation: { channel: "web", room: "r", kind: "private" } },
  asker: { personId: "p", accountId: "ann", name: "Ann" },
  madeIn: "chat",
  ...more,
});

let store: MemoryStore;
let deps: ScheduleDeps;
beforeEach(() => {
  const clock = new ManualClock(NOW);
  store = new MemoryStore(clock);
  const bus = { publish: async () => "stored", signal() {} } as unknown as Bus;
  const dueTimes = new DueIndex({ bus, store });
  deps = { bus, store, clock, logger, meter, checkpoint: async () => undefined, dueTimes };
});

const stored = (n: number, status: Schedule["status"]): Schedule => ({
  ...draft(n),
  status,
  nextDueAt: status === "active" ? "2026-03-10T22:00:00.000Z" : null,
  failures: 0,
  createdAt: "2026-03-10T21:00:00.000Z",
});
/** Stores schedules with consecutive numbers. */
const given = async (...statuses: Schedule["status"][]) => {
  for (const [n, status] of statuses.entries()) {
    const schedule = stored(n, status);
    await store.put(scheduleKey(schedule), schedule, { ifRevision: 0 });
  }
};
const times = (count: number, status: Schedule["status"]) => Array<Schedule["status"]>(count).fill(status);
const openCount = async () => {
  let count = 0;
  for await (const { value } of store.list(schedulesOf(draft(0)))) if (isOpen(value)) count++;
  return count;
};
const REFUSAL = { code: "forbidden", message: "the person has 100 schedules, which is the maximum; cancel some first" };

describe("given an account at the limit of schedules", () => {
  it("when it has 99, then the 100th is accepted and the 101st refused, with the reason and the remedy", async () => {
    await given(...times(MAX_SCHEDULES - 1, "active"));
    expect(await createSchedule(deps, draft(200))).toMatchObject({ status: "active" });
    await expect(createSchedule(deps, draft(201))).rejects.toMatchObject(REFUSAL);
    expect(await store.get(scheduleKey(draft(201)))).toBeUndefined();
  });

  it("when some of them are paused, then they count too", async () => {
    await given(...times(60, "active"), ...times(40, "paused"));
    await expect(createSchedule(deps, draft(200))).rejects.toMatchObject(REFUSAL);
  });

  it("when others have ended or are cancelled, then those do not count", async () => {
    await given(...times(MAX_SCHEDULES - 1, "active"), ...times(60, "ended"), ...times(60, "cancelled"));
    await createSchedule(deps, draft(300));
    expect(await openCount()).toBe(MAX_SCHEDULES);
  });

  it("when one of them is cancelled, then one more is accepted", async () => {
    await given(...times(MAX_SCHEDULES, "active"));
    await cancelSchedule(deps, draft(0));
    await createSchedule(deps, draft(200));
    expect(await openCount()).toBe(MAX_SCHEDULES);
  });

  it("when the creation of one of them is repeated, then it returns that schedule", async () => {
    await given(...times(MAX_SCHEDULES, "active"));
    expect(await createSchedule(deps, draft(7))).toEqual(stored(7, "active"));
    expect(await openCount()).toBe(MAX_SCHEDULES);
  });

  it("when another account, or the configuration, creates a schedule, then it is accepted", async () => {
    await given(...times(MAX_SCHEDULES, "active"));
    await createSchedule(deps, draft(200, { owner: "web/bob" }));
    await createSchedule(deps, draft(201, { madeIn: "configuration" }));
    expect(await openCount()).toBe(MAX_SCHEDULES + 1);
  });

  it("when two processes create one at the same time, then at most one exceeds the limit, and the next is refused", async () => {
    await given(...times(MAX_SCHEDULES - 1, "active"));
    await Promise.allSettled([createSchedule(deps, draft(200)), createSchedule({ ...deps }, draft(201))]);
    expect(await openCount()).toBeGreaterThanOrEqual(MAX_SCHEDULES);
    expect(await openCount()).toBeLessThanOrEqual(MAX_SCHEDULES + 1);
    await expect(createSchedule(deps, draft(202))).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringMatching(/^the person has 10[01] schedules, which is the maximum; cancel some first$/),
    });
  });
});
