import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import type { UserMessage } from "../../../../core/contract/messages/user-message.ts";
import type { Backbone } from "../../../../core/contract/ports/backbone.ts";
import { ack } from "../../../../core/contract/ports/bus.ts";
import { silentLogger as logger } from "../../../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../../../core/contract/ports/telemetry.ts";
import { LastSeen } from "../../../../core/people/index.ts";
import { createSchedule } from "../../../../core/schedules/change-schedule.ts";
import { DueIndex } from "../../../../core/schedules/due-index.ts";
import { runKey, runsOf, type ScheduleRun } from "../../../../core/schedules/runs/run-record.ts";
import { startSchedules } from "../../../../core/schedules/start-schedules.ts";
import { parseWhen } from "../../../../core/schedules/when/parse-when.ts";
import type { BackboneHarness, Deployment } from "../../../contract/backbone-harness.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { scheduledAgent } from "../scheduled-agent.ts";

const MINUTE = 60_000;
const START = Date.parse("2026-03-10T21:00:00Z");
const subjects = subjectsOf("default");
const clockTime = (at: string): string => at.slice(11, 16);

/** The record of a run decides it once, however often and in whichever process its due time is handled (P1). */
export const runRecordContract = (harness: BackboneHarness): void => {
  describe(`given a schedule every ten minutes on ${harness.name} (P1)`, () => {
    let deployment: Deployment;
    let backbone: Backbone;
    beforeAll(async () => {
      deployment = await harness.deploy();
      backbone = await deployment.open();
    });
    afterAll(() => deployment.dispose());

    const begin = async (name: string, checkpoint: (name: string, clock: ManualClock) => void = () => undefined) => {
      const clock = new ManualClock(START);
      const { bus, store } = backbone;
      const address = { tenant: "default", agent: name, owner: "web/ann", id: "schedule-00000001" };
      const deps = {
        bus,
        store,
        clock,
        logger,
        meter,
        checkpoint: (at: string) => checkpoint(at, clock),
        dueTimes: new DueIndex(backbone),
      };
      const begun = new Recorder<UserMessage>();
      const durable = { durable: "count", concurrency: 1 };
      const counter = await bus.consume(subjects.userMessage(name), durable, async (message) => {
        begun.add(message);
        return ack;
      });
      await createSchedule(deps, {
        ...address,
        description: "d",
        prompt: "p",
        when: parseWhen("every 10 m", { now: START, timeZone: "UTC" }),
        missed: "once",
        destination: { conversation: { channel: "web", room: "r", kind: "private" } },
        asker: { personId: "p", accountId: "ann", name: "Ann" },
        madeIn: "chat",
      });
      const running = await startSchedules({ ...deps, lastSeen: new LastSeen(deps) }, scheduledAgent(name));
      const runs = async (): Promise<ScheduleRun[]> => {
        const found: ScheduleRun[] = [];
        for await (const { value } of store.list(runsOf(address))) found.push(value);
        return found.sort((a, b) => a.dueAt.localeCompare(b.dueAt));
      };
      const stop = () => Promise.all([running.close(), counter.close()]);
      return { address, clock, begun, runs, stop };
    };

    it("when a process crashes after it recorded a run and another takes over late, then the run keeps its time and one more run covers the times missed since", async () => {
      let hasCrashed = false;
      const { clock, begun, runs, stop } = await begin("crashes", (at, now) => {
        if (at !== "schedule.recorded" || hasCrashed) return;
        hasCrashed = true;
        now.advance(25 * MINUTE);
        throw new Error("simulated crash");
      });
      clock.advance(10 * MINUTE);
      // A timer for a past time fires with the next tick.
      for (; begun.items.length < 2; clock.advance(1)) await new Promise(setImmediate);
      const recorded = (await runs()).map(({ dueAt, firedAt, through }) => [dueAt, firedAt, through].map(clockTime));
      expect(recorded).toEqual([
        ["21:10", "21:10", "21:10"],
        ["21:20", "21:35", "21:30"],
      ]);
      await stop();
    });

    it("when a manual run is requested again after it has ended, then it does not run a second time", async () => {
      const { address, clock, begun, runs, stop } = await begin("by-hand");
      const due = { ...address, dueAt: "2026-03-10T21:00:00.000Z", byHand: "request-1" };
      const ask = (id: string, byHand: string) =>
        backbone.bus.publish(subjects.scheduleDue(address.agent), { ...due, byHand }, { id, key: address.id });
      await ask("first", "request-1");
      await begun.count(1);
      const [run] = (await runs()) as [ScheduleRun];
      await backbone.store.put(runKey(address, run.name), { ...run, state: "ended", outcome: "answered" });
      clock.advance(5 * MINUTE);
      await ask("again", "request-1");
      await ask("behind it", "request-2");
      await begun.until((all) => all.some(({ id }) => id !== all[0]?.id));
      expect((await runs()).find(({ name }) => name === "request-1")).toMatchObject({
        state: "ended",
        outcome: "answered",
      });
      expect(begun.items).toHaveLength(2);
      await stop();
    });
  });
};
