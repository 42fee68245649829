import { afterEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { ModelFailed } from "../../../core/model/model-failed.ts";
import { runsOf, type ScheduleRun } from "../../../core/schedules/runs/run-record.ts";
import { ownerOf, type Schedule, schedulesOf } from "../../../core/schedules/schedule-record.ts";
import { overrideBackbone } from "../../fakes/override-backbone.ts";
import type { Answer } from "../../fakes/scripted-model.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { AGENT, CoreUnderTest, type TestOptions } from "../core-under-test.ts";
import type { Asked } from "../subtasks/delegating.ts";
import { roles, spawns } from "../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const MINUTE = 60_000;
const START = "2026-03-10T21:14:05.000Z";

const BRIEF = { description: "Morning brief", prompt: "tell the news", when: "every 10 m" };

/** Calls a tool once and answers with its output; `run` scripts the runs of the schedule. */
const scheduling = (tool: string, input: Record<string, unknown>, run: (asked: Asked) => Answer = () => "the news") =>
  roles({
    primary: (asked) => {
      if (asked.text.startsWith("Scheduled task")) return run(asked);
      return asked.outputs.length === 0 ? calls({ name: tool, input }) : asked.outputs.join("\n");
    },
  });

const start = async (script: ReturnType<typeof roles>, options: TestOptions = {}) => {
  core = await CoreUnderTest.start(script, { heldByClock: true, ...options });
};

const schedules = async (): Promise<Schedule[]> => {
  const found: Schedule[] = [];
  const owner = ownerOf("web", "ann");
  const all = schedulesOf({ tenant: "default", agent: AGENT, owner });
  for await (const { value } of core.backbone.store.list(all)) found.push(value);
  return found;
};

/** Advances the clock to the next due time and waits until there are this many unsolicited replies. */
const pass = async (ms: number, replies: number) => {
  await core.clock.waits.until((waits) => waits.some((wait) => wait > 0 && wait <= ms));
  core.clock.advance(ms);
  return unsolicited(replies);
};

const unsolicited = async (count: number) => {
  const isOne = ({ kind, correlationId }: AgentReply) =>
    correlationId === undefined && (kind === "final" || kind === "notice");
  return (await core.replies.until((all) => all.filter(isOne).length >= count)).filter(isOne);
};

describe("given a person with quiet hours", () => {
  it.each([
    ["inside", "in 1 h", true],
    ["outside of", "in 14 h", false],
  ])(
    "when they set a reminder for a time %s them, then its result says whether it is inside (D2)",
    async (_, when, isInside) => {
      await start(scheduling("schedule_task", { ...BRIEF, when }));
      await core.ask("m1", "", { command: { name: "quiet", args: "22:00-07:00 UTC" } });
      const { markdown } = await core.ask("m2", "remind me");
      expect(markdown.includes("It is delivered at that time all the same")).toBe(isInside);
    },
  );
});

describe("given a person who asks for a scheduled task", () => {
  it("when it is due, then one answer is sent, anchored to the run (O5, P1)", async () => {
    await start(scheduling("schedule_task", { ...BRIEF, when: "in 20 s" }));
    const { markdown } = await core.ask("m1", "tell me the news in 20 seconds");
    expect(markdown).toMatch(
      /^Scheduled as schedule-[0-9a-f]{8}: "Morning brief", once, on Tue, 10 Mar 2026, 21:14:25 UTC/,
    );
    const [reply] = await pass(20_000, 1);
    expect(reply).toMatchObject({
      kind: "final",
      markdown: "the news",
      origin: { channel: "scheduled", promptSummary: "Morning brief", startedAt: "2026-03-10T21:14:25.000Z" },
      audience: { conversation: { channel: "web", room: "room-1" } },
    });
    expect(await schedules()).toMatchObject([{ status: "ended", nextDueAt: null }]);
  });

  it("when it recurs, then each due time has one run in its own session (P1)", async () => {
    await start(scheduling("schedule_task", BRIEF));
    await core.ask("m1", "the news every ten minutes");
    for (const round of [1, 2, 3]) await pass(10 * MINUTE, round);
    const runs = await unsolicited(3);
    expect(runs.map(({ origin }) => origin?.startedAt)).toEqual([
      "2026-03-10T21:24:05.000Z",
      "2026-03-10T21:34:05.000Z",
      "2026-03-10T21:44:05.000Z",
    ]);
    expect(new Set(runs.map(({ sessionId }) => sessionId)).size).toBe(3);
  });

  it("when two core processes watch the due times, then each has one run (P1)", async () => {
    await start(scheduling("schedule_task", BRIEF));
    const other = await core.startCore();
    await core.ask("m1", "the news every ten minutes");
    await pass(10 * MINUTE, 1);
    await pass(10 * MINUTE, 2);
    const answered = core.model.requests.items.filter(({ messages }) =>
      JSON.stringify(messages.at(-1)).includes("Scheduled task"),
    );
    expect(answered).toHaveLength(2);
    await other.stop();
  });

  it("when the signal of the new schedule is lost, then the periodic check finds its due time (P1)", async () => {
    const losingSignals = (backbone: Backbone): Backbone =>
      overrideBackbone(backbone, {
        bus: {
          publish: (...args) => backbone.bus.publish(...args),
          consume: (...args) => backbone.bus.consume(...args),
          listen: (...args) => backbone.bus.listen(...args),
          signal: (subject, message) => {
            if (!subject.name.includes("schedule")) backbone.bus.signal(subject, message);
          },
        },
      });
    await start(scheduling("schedule_task", { ...BRIEF, when: "in 5 m" }), { wrap: losingSignals });
    await core.ask("m1", "tell me the news in five minutes");
    const isPeriodicCheck = (ms: number) => ms > MINUTE / 2 && ms <= MINUTE;
    for (let minute = 0; minute < 6; minute++) await core.clock.passNextOf(isPeriodicCheck);
    expect(await unsolicited(1)).toMatchObject([{ markdown: "the news" }]);
  });

  it("when a slow store lets the due time pass, then the schedule is due at once (F34)", async () => {
    const slow = (backbone: Backbone): Backbone =>
      overrideBackbone(backbone, {
        store: {
          get: (...args) => backbone.store.get(...args),
          put: (...args) => backbone.store.put(...args),
          delete: (...args) => backbone.store.delete(...args),
          list: (prefix) => {
            if (prefix.collection.name === "schedules") core.clock.advance(5_000);
            return backbone.store.list(prefix);
          },
        },
      });
    await start(scheduling("schedule_task", { ...BRIEF, when: "in 2 s" }), { wrap: slow });
    expect((await core.ask("m1", "tell me the news in two seconds")).markdown).toMatch(/^Scheduled as/);
    await core.clock.passNextOf((ms) => ms === 0);
    expect(await unsolicited(1)).toMatchObject([{ markdown: "the news" }]);
  });

  it("when the platform reports the person's time zone, then the times are in that zone", async () => {
    await start(scheduling("schedule_task", { ...BRIEF, when: "0 9 * * 1-5" }));
    const account = { id: "ann", name: "Ann", timeZone: "Europe/Berlin" };
    const { markdown } = await core.ask("m1", "every weekday at nine", { account });
    expect(markdown).toContain("every weekday at 09:00 Europe/Berlin, next: Wed, 11 Mar 2026, 09:00");
  });

  it.each([
    [{ ...BRIEF, when: "every 1 s" }, "the shortest interval is one minute"],
    [{ ...BRIEF, when: "2026-02-30T10:00" }, "does not exist"],
    [{ ...BRIEF, timeZone: "Mars/Olympus" }, "is not a time zone"],
    [{ ...BRIEF, prompt: "x".repeat(30_000) }, "20000"],
    [{ ...BRIEF, description: "" }, "description"],
  ])("when the input is invalid, then the model gets the reason and no schedule is created", async (input, why) => {
    await start(scheduling("schedule_task", input));
    expect((await core.ask("m1", "go")).markdown).toContain(why);
    expect(await schedules()).toEqual([]);
  });
});

describe("given a model that schedules a prompt of one megabyte", () => {
  it("when its call is too large for the journal, then the turn fails and no schedule is created", async () => {
    await start(scheduling("schedule_task", { ...BRIEF, prompt: "x".repeat(1_000_000) }));
    const answer = core.ask("m1", "go");
    for (const nth of [1, 2]) await core.passModelPause(nth);
    expect(await answer).toMatchObject({ outcome: "failed" });
    expect(await schedules()).toEqual([]);
  });
});

describe("given a schedule", () => {
  const make = async (run: (asked: Asked) => Answer, options: TestOptions = {}) => {
    let tool: [string, Record<string, unknown>] = ["schedule_task", BRIEF];
    await start(
      roles({
        primary: (asked) => {
          if (asked.text.startsWith("Scheduled task")) return run(asked);
          return asked.outputs.length === 0 ? calls({ name: tool[0], input: tool[1] }) : asked.outputs.join("\n");
        },
        continuation: () => "in short",
      }),
      options,
    );
    await core.ask("m1", "go");
    const [{ id }] = (await schedules()) as [Schedule];
    const use = async (message: string, name: string, input: Record<string, unknown>, who = "ann") => {
      tool = [name, input];
      return (await core.ask(message, "go", { account: { id: who, name: who } })).markdown;
    };
    return { id, use };
  };

  it("when it is cancelled, then it is no longer listed and no longer runs (P1)", async () => {
    const { id, use } = await make(() => "the news");
    expect(await use("m2", "list_schedules", {})).toContain(`"Morning brief" (${id}): every 10 minutes, next: `);
    expect(await use("m3", "cancel_schedule", { id })).toBe(`"Morning brief" (${id}) is cancelled.`);
    expect(await use("m4", "list_schedules", {})).toBe("There are no schedules.");
    core.clock.advance(30 * MINUTE);
    expect(await use("m5", "list_schedules", {})).toBe("There are no schedules.");
    expect(core.replies.items.filter(({ correlationId }) => correlationId === undefined)).toEqual([]);
  });

  it("when another person lists, cancels or runs it, then it does not exist for them (I3)", async () => {
    const { id, use } = await make(() => "the news");
    expect(await use("m2", "list_schedules", {}, "bob")).toBe("There are no schedules.");
    for (const tool of ["cancel_schedule", "run_schedule_now"]) {
      expect(await use(`m-${tool}`, tool, { id }, "bob")).toContain(`You have no schedule "${id}"`);
    }
    expect(await schedules()).toMatchObject([{ status: "active" }]);
  });

  it("when it is run now, then that run is in addition to the due ones (P1)", async () => {
    const { id, use } = await make(() => "the news");
    expect(await use("m2", "run_schedule_now", { id })).toContain("has started");
    expect(await unsolicited(1)).toMatchObject([{ origin: { startedAt: START } }]);
    expect(await pass(10 * MINUTE, 2)).toHaveLength(2);
  });

  it("when a run has nothing to say, then nothing is sent (B7)", async () => {
    await make(({ outputs }) => (outputs.length === 0 ? calls({ name: "nothing_to_say", input: {} }) : ""));
    core.clock.advance(10 * MINUTE);
    await core.model.requests.until((all) => all.length >= 3);
    await core.ask("m2", "go");
    expect(core.replies.items.filter(({ correlationId }) => correlationId === undefined)).toEqual([]);
  });

  it("when a run delegates, then people get one consolidated answer (B6)", async () => {
    await make(({ outputs }) => (outputs.length === 0 ? spawns(["a", "b"]) : "left out"));
    const finals = await pass(10 * MINUTE, 1);
    expect(finals.map(({ markdown }) => markdown)).toEqual(["in short"]);
    expect(finals[0]?.origin?.channel).toBe("scheduled");
  });
});

describe("given a schedule whose time passes during downtime", () => {
  const down = async (input: Record<string, unknown>, ms: number) => {
    await start(scheduling("schedule_task", input));
    await core.ask("m1", "go");
    await core.stopCore();
    core.clock.advance(ms);
    const again = await core.startCore();
    return { stop: () => again.stop() };
  };

  it("when its policy is once, then one run covers all missed times and the schedule continues (P1)", async () => {
    const { stop } = await down(BRIEF, 35 * MINUTE);
    expect(await unsolicited(1)).toMatchObject([{ origin: { startedAt: "2026-03-10T21:49:05.000Z" } }]);
    await pass(5 * MINUTE, 2);
    expect((await unsolicited(2)).map(({ origin }) => origin?.startedAt)).toEqual([
      "2026-03-10T21:49:05.000Z",
      "2026-03-10T21:54:05.000Z",
    ]);
    expect(await runs()).toMatchObject([
      { dueAt: "2026-03-10T21:24:05.000Z", through: "2026-03-10T21:44:05.000Z", state: "ended" },
      { dueAt: "2026-03-10T21:54:05.000Z" },
    ]);
    await stop();
  });

  it("when its policy is skip, then the missed times have a recorded reason and the next one runs (P1)", async () => {
    const { stop } = await down({ ...BRIEF, missed: "skip" }, 35 * MINUTE);
    await until(async () => (await schedules())[0]?.nextDueAt === "2026-03-10T21:54:05.000Z");
    await pass(5 * MINUTE, 1);
    expect((await unsolicited(1)).map(({ origin }) => origin?.startedAt)).toEqual(["2026-03-10T21:54:05.000Z"]);
    expect((await runs())[0]).toMatchObject({ state: "skipped", reason: "its time passed during downtime" });
    await stop();
  });

  it("when the downtime lasts days, then a one-time schedule still runs once", async () => {
    const { stop } = await down({ ...BRIEF, when: "in 20 s" }, 3 * 24 * 60 * MINUTE);
    expect(await unsolicited(1)).toMatchObject([{ markdown: "the news" }]);
    expect(await schedules()).toMatchObject([{ status: "ended" }]);
    await stop();
  });
});

describe("given a schedule whose runs fail", () => {
  it("when a run cannot be started, then its due time has a recorded reason and the next one runs (P1)", async () => {
    let broken = 0;
    await start(scheduling("schedule_task", BRIEF), {
      checkpoint: (name) => {
        if (name === "schedule.recorded" && ++broken <= 5) throw new Error("simulated failure");
      },
    });
    await core.ask("m1", "go");
    await core.clock.waits.until((waits) => waits.some((wait) => wait > 0 && wait <= 10 * MINUTE));
    core.clock.advance(10 * MINUTE);
    for (const pauseMs of [2, 4, 8, 16]) await core.clock.passNext(pauseMs);
    await until(async () => ((await schedules())[0]?.nextDueAt ?? "") > "2026-03-10T21:30");
    expect(await pass(10 * MINUTE, 1)).toMatchObject([{ markdown: "the news" }]);
  });

  it("when the process crashes after it counted a failure, then the failure is counted once (P3)", async () => {
    let crashes = 0;
    await start(
      scheduling("schedule_task", BRIEF, () => new ModelFailed("refused", "simulated model failure")),
      {
        checkpoint: (name) => {
          if (name === "schedule.counted" && ++crashes === 1) throw new Error("simulated crash");
        },
      },
    );
    await core.ask("m1", "go");
    await pass(10 * MINUTE, 1);
    await core.clock.passNext(2);
    await until(async () => (await runs())[0]?.state === "ended");
    expect(crashes).toBe(2);
    expect(await schedules()).toMatchObject([{ status: "active", failures: 1 }]);
  });

  it("when its runs keep failing, then it is postponed, reported after two failures and paused after five (P3)", async () => {
    let broken = true;
    await start(
      scheduling("schedule_task", BRIEF, () => {
        if (broken) return new ModelFailed("refused", "simulated model failure");
        return "the news";
      }),
    );
    await core.ask("m1", "go");
    const failed = async (failures: number) => {
      await until(async () => (await schedules())[0]?.failures === failures);
      return (await schedules())[0] as Schedule;
    };
    const times: string[] = [];
    for (const failures of [1, 2, 3, 4, 5]) {
      const [{ nextDueAt }] = (await schedules()) as [Schedule];
      times.push(nextDueAt ?? "");
      await pass(Date.parse(nextDueAt ?? "") - core.clock.now(), 1);
      await failed(failures);
    }
    expect(times.map((time) => time.slice(11, 16))).toEqual(["21:24", "21:34", "21:44", "22:04", "22:44"]);
    expect(await schedules()).toMatchObject([
      { status: "paused", nextDueAt: null, failures: 5, paused: { reason: "it failed 5 times in a row" } },
    ]);
    expect((await schedules())[0]?.lastRun).toEqual(expect.any(String));
    const isNotice = ({ kind, correlationId }: AgentReply) => kind === "notice" && correlationId === undefined;
    const notices = (await core.replies.until((all) => all.filter(isNotice).length >= 2)).filter(isNotice);
    expect(notices.map(({ markdown }) => markdown)).toEqual([
      'The schedule "Morning brief" failed 2 times in a row. I will keep trying, less often.',
      expect.stringContaining("failed 5 times in a row and is paused. Resume it with `/schedules resume schedule-"),
    ]);
    broken = false;
    expect(await uncoveredDueTimes(times[0] ?? "", "2026-03-10T22:44:05.000Z")).toEqual([]);
  });
});

const runs = async (): Promise<ScheduleRun[]> => {
  const [schedule] = (await schedules()) as [Schedule];
  const found: ScheduleRun[] = [];
  for await (const { value } of core.backbone.store.list(runsOf(schedule))) found.push(value);
  return found.sort((a, b) => a.dueAt.localeCompare(b.dueAt));
};

/** Due times without a run and without a recorded reason. */
const uncoveredDueTimes = async (from: string, to: string): Promise<string[]> => {
  const known = await runs();
  const missing: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += 10 * MINUTE) {
    const due = new Date(at).toISOString();
    if (!known.some(({ dueAt, through }) => dueAt <= due && due <= through)) missing.push(due);
  }
  return missing;
};

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise(setImmediate);
};
