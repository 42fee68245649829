import { expect, it } from "vitest";
import { startStopwatch } from "./stopwatch.ts";

it("given a stopwatch, when its process gets no core for a while, then that does not count as undelayed time", () => {
  let now = 1_000;
  const watch = startStopwatch(() => now);
  for (let n = 0; n < 100; n++) {
    now += 10;
    watch.undelayedMs();
  }
  expect([watch.ms(), watch.undelayedMs()]).toEqual([1_000, 1_000]);
  now += 5_000;
  expect([watch.ms(), watch.undelayedMs()]).toEqual([6_000, 1_020]);
  watch.stop();
});
