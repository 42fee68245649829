import { afterEach, describe, expect, it } from "vitest";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { noCheckpoint } from "../../../core/contract/ports/telemetry.ts";
import { cancelSchedule } from "../../../core/schedules/change-schedule.ts";
import { ScheduleConfig } from "../../../core/schedules/config.ts";
import { DueIndex } from "../../../core/schedules/due-index.ts";
import { CONFIGURED, type Schedule, schedulesOf } from "../../../core/schedules/schedule-record.ts";
import type { ConfiguredSchedule } from "../../../core/schedules/sync-configured.ts";
import { AGENT, CoreUnderTest } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const MINUTE = 60_000;
const room = { channel: "slack", room: "C1", kind: "shared" } as const;

const configured = (changes: Partial<ConfiguredSchedule> = {}): ConfiguredSchedule => ({
  ...ScheduleConfig.parse({ name: "brief", description: "Morning brief", prompt: "the news", when: "every 10 m" }),
  destination: { conversation: room },
  ...changes,
});

const stored = async (): Promise<Schedule[]> => {
  const found: Schedule[] = [];
  const all = schedulesOf({ tenant: "default", agent: AGENT, owner: CONFIGURED });
  for await (const { value } of core.backbone.store.list(all)) found.push(value);
  return found;
};

const untilStored = async (holds: (schedules: readonly Schedule[]) => boolean): Promise<Schedule[]> => {
  for (;;) {
    const all = await stored();
    if (holds(all)) return all;
    await new Promise(setImmediate);
  }
};

const start = async (...schedules: ConfiguredSchedule[]) => {
  core = await CoreUnderTest.start(() => "the news", { heldByClock: true, agent: { schedules } });
};

const restart = async (...schedules: ConfiguredSchedule[]) => {
  await core.stopCore();
  return core.startCore({ agent: { schedules } });
};

const dueNext = (all: readonly Schedule[]) => all[0]?.nextDueAt === "2026-03-10T21:20:00.000Z";

describe("given schedules in the configuration", () => {
  it("when one is due, then the result goes to its room, anchored to the schedule (P1, P2)", async () => {
    await start(configured());
    await untilStored(dueNext);
    await core.clock.waits.until((waits) => waits.length > 0);
    core.clock.advance(6 * MINUTE);
    const [reply] = await core.replies.until((replies) => replies.length > 0);
    expect(reply).toMatchObject({
      markdown: "the news",
      origin: { channel: "scheduled", promptSummary: "Morning brief" },
      audience: { conversation: room, personId: null },
    });
  });

  it("when the process restarts, then schedules keep their ids, changed ones are updated and removed ones are cancelled", async () => {
    await start(configured(), configured({ name: "other" }));
    const before = await untilStored((all) => all.length === 2);
    const again = await restart(configured({ prompt: "the other news" }));
    const after = await untilStored((all) => all.some(({ status }) => status === "cancelled"));
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    const changed = await untilStored((all) => all.some(({ prompt }) => prompt === "the other news"));
    expect(changed.map(({ status }) => status).sort()).toEqual(["active", "cancelled"]);
    await again.stop();
  });

  it("when one is removed and added again unchanged, then it is active again (P1)", async () => {
    await start(configured());
    await untilStored(dueNext);
    const without = await restart();
    await untilStored((all) => all[0]?.status === "cancelled");
    await without.stop();
    const again = await core.startCore({ agent: { schedules: [configured()] } });
    expect(await untilStored((all) => all[0]?.status === "active")).toMatchObject([{ prompt: "the news" }]);
    await again.stop();
  });

  it("when an operator has cancelled one, then it stays cancelled after months and a restart (P1)", async () => {
    await start(configured());
    const [schedule] = await untilStored(dueNext);
    const { backbone, clock, meter } = core;
    const deps = { ...backbone, clock, meter, logger: silentLogger, checkpoint: noCheckpoint };
    await cancelSchedule({ ...deps, dueTimes: new DueIndex(backbone) }, schedule as Schedule);
    core.clock.advance(60 * 24 * 60 * MINUTE);
    const again = await restart(configured(), configured({ name: "other", description: "Other" }));
    const all = await untilStored((stored) => stored.some(({ description }) => description === "Other"));
    expect(all.find(({ description }) => description === "Morning brief")?.status).toBe("cancelled");
    await again.stop();
  });

  it("when its person has not written yet, then the run is skipped with a notice at home, and later runs reach the person (P2)", async () => {
    const schedules = [configured({ destination: { person: [{ channel: "web", accountId: "ann" }] } })];
    const home = { conversation: room };
    core = await CoreUnderTest.start(() => "the news", { heldByClock: true, agent: { schedules, home } });
    await untilStored(dueNext);
    core.clock.advance(6 * MINUTE);
    await untilStored((all) => all[0]?.nextDueAt === "2026-03-10T21:30:00.000Z");
    expect(await core.replies.until((replies) => replies.length > 0)).toMatchObject([
      {
        kind: "notice",
        audience: { conversation: room },
        markdown: expect.stringContaining("“Morning brief” could not be delivered: the person has not written to me"),
      },
    ]);
    await core.ask("m1", "hello");
    core.clock.advance(10 * MINUTE);
    const replies = await core.replies.until((replies) =>
      replies.some(({ origin }) => origin?.channel === "scheduled"),
    );
    expect(replies.at(-1)?.audience).toMatchObject({ conversation: { channel: "web", room: "room-1" } });
  });
});

describe("given an invalid schedule in the configuration", () => {
  it.each([
    [{ when: "in 20 s" }, "must be a fixed time or an interval"],
    [{ when: "* * * * * *" }, "the shortest interval is one minute"],
    [{ when: "0 0 30 2 *" }, "never occurs"],
    [{ timeZone: "Mars/Olympus" }, "is not a time zone"],
    [{ prompt: "x".repeat(20_001) }, "20000"],
  ])("when it has %o, then it is rejected", async (change, message) => {
    core = await CoreUnderTest.start();
    const given = { name: "brief", description: "Brief", prompt: "news", when: "every 10 m", ...change };
    expect(JSON.stringify(ScheduleConfig.safeParse(given).error?.issues)).toContain(message);
  });
});
