import { expect, it } from "vitest";
import { silentLogger } from "../../core/contract/ports/logger.ts";
import { WriteWatch } from "../../gateway/write-watch.ts";
import { ManualClock } from "../fakes/manual-clock.ts";

it("given a gateway, when the backbone stops storing and recovers, then its entrances are notified within 50 ms, once each (F35)", () => {
  const clock = new ManualClock();
  let problem: string | undefined;
  const watch = new WriteWatch({ backbone: { writeProblem: () => problem }, clock, logger: silentLogger });
  const problems: (string | undefined)[] = [];
  const listener = watch.onChange(() => problems.push(watch.problem));
  clock.advance(500);
  problem = "no quorum";
  expect(watch.problem).toBe("no quorum");
  clock.advance(50);
  problem = "no leader";
  clock.advance(500);
  problem = undefined;
  clock.advance(50);
  expect(problems).toEqual(["no quorum", undefined]);
  listener.close();
  problem = "again";
  clock.advance(50);
  expect(problems).toHaveLength(2);
  watch.stop();
});
