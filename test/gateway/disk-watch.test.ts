import { describe, expect, it } from "vitest";
import { watchDisk } from "../../gateway/disk-watch.ts";
import { createReadiness } from "../../gateway/http/readiness.ts";
import { createMetrics } from "../../gateway/telemetry/create-metrics.ts";
import { ManualClock } from "../fakes/manual-clock.ts";
import { RecordingLogger } from "../fakes/recording-logger.ts";

const GB = 1_000_000_000;

describe("given a data folder on a disk that fills up", () => {
  it("when free space falls below the limit and returns, then health shows it, and no probe asks the disk (R3)", async () => {
    let free = 2 * GB;
    let asked = 0;
    const freeBytes = async () => {
      asked++;
      return free;
    };
    const clock = new ManualClock();
    const logger = new RecordingLogger();
    const readiness = createReadiness();
    const metrics = createMetrics(logger);
    const watch = await watchDisk({ backbone: { freeBytes }, clock, logger, readiness, metrics }, GB);
    expect(readiness.degraded()).toEqual([]);
    free = GB / 2;
    clock.advance(10_000);
    await expect.poll(() => readiness.degraded()).toMatchObject([{ part: "disk" }]);
    expect(readiness.problems()).toEqual([]);
    expect(asked).toBe(2);
    free = 2 * GB;
    clock.advance(10_000);
    await expect.poll(() => readiness.degraded()).toEqual([]);
    watch.cancel();
    clock.advance(60_000);
    expect(asked).toBe(3);
  });

  it("when another server stores the data, then there is nothing to watch", async () => {
    const readiness = createReadiness();
    const logger = new RecordingLogger();
    const metrics = createMetrics(logger);
    (await watchDisk({ backbone: {}, clock: new ManualClock(), logger, readiness, metrics }, GB)).cancel();
    expect(readiness.degraded()).toEqual([]);
  });
});
