import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../../core/contract/ports/telemetry.ts";
import { LastSeen } from "../../../core/people/index.ts";
import type { NewSchedule } from "../../../core/schedules/change-schedule.ts";
import { createSchedule } from "../../../core/schedules/change-schedule.ts";
import { DueIndex } from "../../../core/schedules/due-index.ts";
import { runsOf, type ScheduleRun } from "../../../core/schedules/runs/run-record.ts";
import { type Schedule, scheduleKey } from "../../../core/schedules/schedule-record.ts";
import { startSchedules } from "../../../core/schedules/start-schedules.ts";
import { parseWhen } from "../../../core/schedules/when/parse-when.ts";
import { nextDue } from "../../../core/schedules/when/when.ts";
import type { BackboneHarness, Deployment } from "../../contract/backbone-harness.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { scheduledAgent } from "./scheduled-agent.ts";

const MINUTE = 60_000;
/** The night before a daylight saving change: in Europe in spring and in autumn, and in America. */
const STARTS = ["2026-03-28T20:00:00Z", "2026-10-24T20:00:00Z", "2026-10-31T23:00:00Z"].map((at) => Date.parse(at));

/** A restart stops all processes, lets time pass and starts them again. A crash makes the next step of that name fail. */
const events = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("pass" as const), ms: fc.integer({ min: 1_000, max: 90 * MINUTE }) }),
    fc.record({ type: fc.constant("jump" as const), ms: fc.integer({ min: -30 * MINUTE, max: 120 * MINUTE }) }),
    fc.record({ type: fc.constant("restart" as const), ms: fc.integer({ min: 0, max: 300 * MINUTE }) }),
    fc.record({
      type: fc.constant("crash" as const),
      at: fc.constantFrom("schedule.recorded", "schedule.begun", "schedule.indexed", "schedule.changed"),
    }),
  ),
  { minLength: 1, maxLength: 8 },
);
const plans = fc.record({
  start: fc.constantFrom(...STARTS),
  when: fc.constantFrom("every 7 m", "every 1 h", "*/10 * * * *", "30 2 * * *", "15 * * * 0", "in 40 m"),
  timeZone: fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kathmandu", "America/New_York"),
  missed: fc.constantFrom("once" as const, "skip" as const),
  events,
});

/** Every due time has exactly one run or one recorded reason, despite crashes and clock changes (P1). */
export const dueTimeProperty = (harness: BackboneHarness, minRuns: number): void => {
  describe(`given any schedule on ${harness.name}`, () => {
    let deployment: Deployment;
    let backbones: Backbone[];
    let world = 0;
    beforeAll(async () => {
      deployment = await harness.deploy();
      backbones = [await deployment.open(), ...(harness.manyProcesses ? [await deployment.open()] : [])];
    });
    afterAll(() => deployment.dispose());

    const play = async (plan: typeof plans extends fc.Arbitrary<infer P> ? P : never) => {
      const clock = new ManualClock(plan.start);
      const name = `agent-${++world}`;
      const agent = scheduledAgent(name);
      const begun: string[] = [];
      let crashAt: string | undefined;
      const checkpoint = (at: string) => {
        if (at !== crashAt) return;
        crashAt = undefined;
        throw new Error("simulated crash");
      };
      const depsOn = (backbone: Backbone) => ({
        ...backbone,
        bus: backbone.bus,
        store: backbone.store,
        clock,
        logger,
        meter,
        checkpoint,
        lastSeen: new LastSeen({ store: backbone.store, clock }),
        dueTimes: new DueIndex(backbone),
      });
      const [first] = backbones as [Backbone];
      const counter = await first.bus.consume(
        subjectsOf("default").userMessage(name),
        { durable: "count", concurrency: 8 },
        async ({ id }) => {
          begun.push(id);
          return ack;
        },
      );
      const startAll = () => Promise.all(backbones.map((backbone) => startSchedules(depsOn(backbone), agent)));
      const address = { tenant: "default", agent: name, owner: "web/ann", id: "schedule-00000001" };
      const draft: NewSchedule = {
        ...address,
        description: "d",
        prompt: "p",
        when: parseWhen(plan.when, { now: plan.start, timeZone: plan.timeZone }),
        missed: plan.missed,
        destination: { conversation: { channel: "web", room: "r", kind: "private" } },
        asker: { personId: "p", accountId: "ann", name: "Ann" },
        madeIn: "chat",
      };
      await createSchedule(depsOn(first), draft);
      let processes = await startAll();
      const schedule = async () => (await first.store.get(scheduleKey(address)))?.value as Schedule;
      const settled = async () => {
        const { nextDueAt } = await schedule();
        return nextDueAt === null || Date.parse(nextDueAt) > clock.now();
      };
      for (const event of plan.events) {
        if (event.type === "crash") crashAt = event.at;
        if (event.type === "jump") clock.jump(event.ms);
        if (event.type === "pass") clock.advance(event.ms);
        if (event.type === "restart") {
          await Promise.all(processes.map((process) => process.close()));
          clock.advance(event.ms);
          processes = await startAll();
        }
      }
      crashAt = undefined;
      // The periodic check runs within a minute of monotonic time, even if the wall clock was set.
      for (let round = 0; !(await settled()); round++) {
        if (round % 50 === 49) clock.advance(MINUTE);
        await new Promise(setImmediate);
      }
      const recorded: ScheduleRun[] = [];
      for await (const { value } of first.store.list(runsOf(address))) recorded.push(value);
      const started = recorded.filter(({ state }) => state === "started").length;
      while (new Set(begun).size < started) await new Promise(setImmediate);
      const end = (await schedule()).nextDueAt;
      await Promise.all([...processes, counter].map((process) => process.close()));
      return { when: draft.when, recorded, begun, end };
    };

    it(
      "when time passes, the clock is set or processes crash, then each due time has one run or one recorded reason",
      { timeout: 120_000 },
      () =>
        fc.assert(
          fc.asyncProperty(plans, async (plan) => {
            const { when, recorded, begun, end } = await play(plan);
            const until = end === null ? Number.POSITIVE_INFINITY : Date.parse(end);
            for (let due = nextDue(when, plan.start); due !== undefined && due < until; due = nextDue(when, due)) {
              const at = isoTime(due);
              const covering = recorded.filter(({ dueAt, through }) => dueAt <= at && at <= through);
              expect(covering, `${at} of ${plan.when}`).toHaveLength(1);
            }
            expect(new Set(begun).size).toBe(recorded.filter(({ state }) => state === "started").length);
            expect(begun.length).toBe(new Set(begun).size);
            for (const { state, reason } of recorded) expect(state === "skipped").toBe(reason !== undefined);
          }),
          propertyRuns(minRuns),
        ),
    );
  });
};
