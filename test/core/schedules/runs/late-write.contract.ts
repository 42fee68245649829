import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import type { UserMessage } from "../../../../core/contract/messages/user-message.ts";
import type { Backbone } from "../../../../core/contract/ports/backbone.ts";
import { ack } from "../../../../core/contract/ports/bus.ts";
import { silentLogger as logger } from "../../../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../../../core/contract/ports/telemetry.ts";
import { LastSeen } from "../../../../core/people/index.ts";
import { createSchedule, resumeSchedule } from "../../../../core/schedules/change-schedule.ts";
import { DueIndex, type DueTime } from "../../../../core/schedules/due-index.ts";
import { scheduleKey } from "../../../../core/schedules/schedule-record.ts";
import { startSchedules } from "../../../../core/schedules/start-schedules.ts";
import { parseWhen } from "../../../../core/schedules/when/parse-when.ts";
import type { BackboneHarness, Deployment } from "../../../contract/backbone-harness.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { scheduledAgent } from "../scheduled-agent.ts";

const MINUTE = 60_000;
const START = Date.parse("2026-03-10T21:00:00Z");
const subjects = subjectsOf("default");

/** Records removals, can delay them, and can fail a look-up as a crash would. */
class WatchedIndex extends DueIndex {
  readonly unfound = new Recorder<DueTime>();
  removesAfter: Promise<void> | undefined;
  failsLookUp = false;

  override async remove(due: DueTime): Promise<void> {
    if (this.removesAfter === undefined) await super.remove(due);
    this.unfound.add(due);
    await this.removesAfter;
    await super.remove(due);
  }

  override async has(due: DueTime): Promise<boolean> {
    if (this.failsLookUp) throw new Error("simulated crash");
    return super.has(due);
  }
}

/** A due time that is handled before its schedule is stored must not be lost (P1, F34). */
export const lateWriteContract = (harness: BackboneHarness): void => {
  describe(`given a schedule that is stored after its due time was handled, on ${harness.name} (P1, F34)`, () => {
    let deployment: Deployment;
    let backbone: Backbone;
    beforeAll(async () => {
      deployment = await harness.deploy();
      backbone = await deployment.open();
    });
    afterAll(() => deployment.dispose());

    const begin = async (name: string) => {
      const clock = new ManualClock(START);
      const { bus, store } = backbone;
      const dueTimes = new WatchedIndex(backbone);
      /** Holds the first write of a schedule until the handler of its due time has not found it. */
      const checkpoint = async (at: string) => {
        if (at !== "schedule.indexed" || dueTimes.unfound.items.length > 0) return;
        clock.advance(MINUTE);
        for (; dueTimes.unfound.items.length === 0; clock.advance(1)) await new Promise(setImmediate);
      };
      const deps = { bus, store, clock, logger, meter, checkpoint, dueTimes };
      const started = new Recorder<UserMessage>();
      const counter = await bus.consume(
        subjects.userMessage(name),
        { durable: "count", concurrency: 1 },
        async (message) => {
          started.add(message);
          return ack;
        },
      );
      const running = await startSchedules({ ...deps, lastSeen: new LastSeen(deps) }, scheduledAgent(name));
      const address = { tenant: "default", agent: name, owner: "web/ann", id: "schedule-00000001" };
      const draft = {
        ...address,
        description: "d",
        prompt: "p",
        when: parseWhen("in 1 m", { now: START, timeZone: "UTC" }),
        missed: "once" as const,
        destination: { conversation: { channel: "web", room: "r", kind: "private" as const } },
        asker: { personId: "p", accountId: "ann", name: "Ann" },
        madeIn: "chat" as const,
      };
      const isEnded = async () => (await store.get(scheduleKey(address)))?.value.status === "ended";
      const stop = () => Promise.all([running.close(), counter.close()]);
      return { clock, dueTimes, deps, address, draft, started, isEnded, stop };
    };

    const untilEnded = async ({ isEnded, clock }: Awaited<ReturnType<typeof begin>>): Promise<void> => {
      for (; !(await isEnded()); clock.advance(1)) await new Promise(setImmediate);
    };

    it("when it is created, then it runs once", async () => {
      const test = await begin("created-late");
      await createSchedule(test.deps, test.draft, START);
      await untilEnded(test);
      expect(await test.started.count(1)).toHaveLength(1);
      await test.stop();
    });

    it("when it is stored while the handler removes the index entry, then it runs once", async () => {
      const test = await begin("created-meanwhile");
      let remove = (): void => undefined;
      test.dueTimes.removesAfter = new Promise((resolve) => {
        remove = resolve;
      });
      await createSchedule(test.deps, test.draft, START);
      remove();
      await untilEnded(test);
      expect(await test.started.count(1)).toHaveLength(1);
      await test.stop();
    });

    it("when the process crashes after the write and the creation is repeated, then it runs once", async () => {
      const test = await begin("created-twice");
      test.dueTimes.failsLookUp = true;
      await expect(createSchedule(test.deps, test.draft, START)).rejects.toThrow("simulated crash");
      test.dueTimes.failsLookUp = false;
      await createSchedule(test.deps, test.draft, START);
      await untilEnded(test);
      expect(await test.started.count(1)).toHaveLength(1);
      await test.stop();
    });

    it("when a paused one is resumed, then it runs once", async () => {
      const test = await begin("resumed");
      const paused = { ...test.draft, status: "paused" as const, nextDueAt: null, failures: 5 };
      const createdAt = new Date(START).toISOString();
      await backbone.store.put(scheduleKey(test.address), { ...paused, createdAt }, { ifRevision: 0 });
      await resumeSchedule(test.deps, test.address);
      await untilEnded(test);
      expect(await test.started.count(1)).toHaveLength(1);
      await test.stop();
    });
  });
};
