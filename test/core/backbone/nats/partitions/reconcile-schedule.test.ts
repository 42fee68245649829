import { describe, expect, it } from "vitest";
import { ReconcileSchedule } from "../../../../../core/backbone/nats/partitions/reconcile-schedule.ts";
import { ManualClock } from "../../../../fakes/manual-clock.ts";
import { RecordingLogger } from "../../../../fakes/recording-logger.ts";

const scheduleOf = (reconcile: (group?: string) => void) => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const deps = { clock, logger, leaseMs: 60_000, random: () => 0.5, reconcile, checkWatches: async () => undefined };
  return { clock, logger, schedule: new ReconcileSchedule(deps) };
};

describe("given partitions that cannot be settled", () => {
  it("when 320 fail repeatedly at once, then one timer is armed and one line is logged", () => {
    let rounds = 0;
    const failAll = (): void => {
      for (let partition = 0; partition < 320; partition++) {
        schedule.failed(`group-${partition % 10}`, new Error("no quorum"), partition);
      }
    };
    const { clock, logger, schedule } = scheduleOf((group) => {
      if (group !== "group-0") return;
      rounds++;
      failAll();
    });
    failAll();
    expect(clock.pending).toBe(1);
    clock.advance(7_000);
    expect(clock.pending).toBe(1);
    expect(rounds).toBeLessThanOrEqual(7);
    expect(logger.lines.items.map(({ level, message }) => [level, message])).toEqual([
      ["warn", "could not settle partitions, retrying"],
    ]);
  });

  it("when all groups are settled again, then one line is logged, no timer is left, and the next pause is short again", () => {
    const reconciled: (string | undefined)[] = [];
    const { clock, logger, schedule } = scheduleOf((group) => void reconciled.push(group));
    for (let n = 0; n < 5; n++) {
      schedule.failed("a", new Error("no quorum"));
      schedule.failed("b", new Error("no quorum"));
      clock.advance(3_000);
    }
    schedule.settled("a");
    expect(logger.lines.items).toHaveLength(1);
    schedule.settled("b");
    expect(logger.lines.items.map(({ message }) => message)).toEqual([
      "could not settle partitions, retrying",
      "partitions settled",
    ]);
    expect(clock.pending).toBe(0);
    reconciled.length = 0;
    schedule.failed("a", new Error("no quorum"));
    clock.advance(300);
    expect(reconciled).toEqual(["a"]);
  });

  it("when nothing happens, then all groups are reconciled three times in a lease, even if the watches cannot be checked", async () => {
    let passes = 0;
    const clock = new ManualClock();
    const schedule = new ReconcileSchedule({
      clock,
      logger: new RecordingLogger(),
      leaseMs: 9_000,
      random: () => 0.5,
      reconcile: () => passes++,
      checkWatches: () => Promise.reject(new Error("no quorum")),
    });
    schedule.start();
    for (let second = 0; second < 9; second++) {
      clock.advance(1_000);
      await new Promise(setImmediate);
    }
    expect(passes).toBe(3);
    schedule.close();
    expect(clock.pending).toBe(0);
  });
});
