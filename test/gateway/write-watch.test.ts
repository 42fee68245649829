import { describe, expect, it } from "vitest";
import { HealthListeners } from "../../core/backbone/health-listeners.ts";
import { silentLogger } from "../../core/contract/ports/logger.ts";
import { WriteWatch } from "../../gateway/write-watch.ts";
import { ManualClock } from "../fakes/manual-clock.ts";

const setUp = () => {
  const clock = new ManualClock();
  const health = new HealthListeners();
  const state: { problem?: string | undefined } = {};
  const watch = new WriteWatch({
    backbone: { writeProblem: () => state.problem, onHealthChange: (listener) => health.add(listener) },
    clock,
    logger: silentLogger,
  });
  const problems: (string | undefined)[] = [];
  const listener = watch.onChange(() => problems.push(watch.problem));
  const change = (problem: string | undefined) => {
    state.problem = problem;
    health.notify();
  };
  return { clock, state, watch, problems, listener, change };
};

describe("given a gateway", () => {
  it("when the backbone stops storing and recovers, then its entrances are notified within 50 ms, once each (F35)", () => {
    const { clock, watch, problems, listener, change } = setUp();
    clock.advance(500);
    change("no quorum");
    expect(watch.problem).toBe("no quorum");
    clock.advance(50);
    change("no leader");
    clock.advance(500);
    change(undefined);
    clock.advance(50);
    expect(problems).toEqual(["no quorum", undefined]);
    listener.close();
    change("again");
    clock.advance(50);
    expect(problems).toHaveLength(2);
    watch.stop();
    expect(clock.pending).toBe(0);
  });

  it("when the backbone does not report that it stops storing, then its entrances are notified within a second", () => {
    const { clock, state, watch, problems } = setUp();
    clock.advance(5_000);
    state.problem = "the file is damaged";
    clock.advance(1_000);
    expect(problems).toEqual(["the file is damaged"]);
    watch.stop();
  });

  it("when a problem comes and goes repeatedly within 50 ms, then its entrances are not notified", () => {
    const { clock, watch, problems, change } = setUp();
    for (let n = 0; n < 5; n++) {
      change("busy");
      change(undefined);
      clock.advance(9);
    }
    clock.advance(50);
    expect(problems).toEqual([]);
    watch.stop();
  });
});
