import { describe, expect, it } from "vitest";
import type { Bus } from "../../../core/contract/ports/bus.ts";
import type { DueIndex, DueTime } from "../../../core/schedules/due-index.ts";
import { DueWatch } from "../../../core/schedules/due-watch.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";

const ref = { tenant: "t", agent: "a" };

const microtasksDone = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("given a due schedule and a bus that rejects every publish", () => {
  it("when time passes, then publishing is retried with backoff, and one line is logged per change of state", async () => {
    const clock = new ManualClock();
    const logger = new RecordingLogger();
    const due: DueTime = {
      schedule: { ...ref, owner: "o", id: "s" },
      dueAt: new Date(clock.now() + 1_000).toISOString(),
    };
    let attempts = 0;
    let isDown = true;
    const watch = new DueWatch(
      {
        bus: { listen: async () => ({ close() {} }) } as unknown as Bus,
        clock,
        logger,
        dueTimes: {
          hours: async () => [],
          revisionOf: async () => 1,
          async *in() {
            yield due;
          },
        } as unknown as DueIndex,
        publish: async () => {
          attempts++;
          if (isDown) throw new Error("no quorum");
        },
        prepare: async () => undefined,
      },
      ref,
    );
    await watch.start();
    const pass = async (seconds: number) => {
      for (let tenth = 0; tenth < 10 * seconds; tenth++) {
        await microtasksDone();
        clock.advance(100);
      }
      await microtasksDone();
    };
    await pass(31);
    expect(attempts).toBeGreaterThan(5);
    expect(attempts).toBeLessThan(20);
    const failed = "could not read or publish due schedules, retrying";
    expect(logger.lines.items.map(({ message }) => message)).toEqual([failed]);

    isDown = false;
    await pass(6);
    expect(logger.lines.items.map(({ message }) => message)).toEqual([
      failed,
      "due schedules are read and published again",
    ]);
    await watch.stop();
  });
});
