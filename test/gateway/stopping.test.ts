import { describe, expect, it } from "vitest";
import { silentLogger } from "../../core/contract/ports/logger.ts";
import { createStopping } from "../../gateway/stopping.ts";
import { ManualClock } from "../fakes/manual-clock.ts";

const stoppingWith = (clock = new ManualClock()) => {
  const order: string[] = [];
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (fields: unknown) => void warnings.push(fields) };
  return { order, warnings, clock, stopping: createStopping({ clock, logger }) };
};

describe("given running parts", () => {
  it("when they stop, then readiness goes first, parts with work in progress concurrently, the backbone last", async () => {
    const { order, stopping } = stoppingWith();
    let endTurn: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => {
      endTurn = resolve;
    });
    stopping.last("server", () => void order.push("server"));
    stopping.last("backbone", () => void order.push("backbone"));
    stopping.first("readiness", () => void order.push("readiness"));
    stopping.underWay("agents", async () => {
      await turn;
      order.push("agents");
    });
    stopping.underWay("channels", () => {
      order.push("channels");
      endTurn();
    });
    await stopping.stop();
    expect(order).toEqual(["readiness", "channels", "agents", "backbone", "server"]);
  });

  it("when one of them fails, then the others still stop", async () => {
    const { order, warnings, stopping } = stoppingWith();
    stopping.underWay("agents", () => Promise.reject(new Error("stuck")));
    stopping.last("backbone", () => void order.push("backbone"));
    await stopping.stop();
    expect(order).toEqual(["backbone"]);
    expect(warnings).toEqual([{ part: "agents", reason: "stuck" }]);
  });

  it("when one of them never ends, then the stop waits 25 s for it", async () => {
    const { order, warnings, clock, stopping } = stoppingWith();
    stopping.underWay("agents", () => new Promise(() => undefined));
    stopping.last("backbone", () => void order.push("backbone"));
    const stopped = stopping.stop();
    await new Promise(setImmediate);
    clock.advance(24_999);
    await new Promise(setImmediate);
    expect(order).toEqual([]);
    clock.advance(1);
    await stopped;
    expect(order).toEqual(["backbone"]);
    expect(warnings).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it("when they drain first, then nothing stops meanwhile, and the time counts towards the 25 s (F30)", async () => {
    const { order, clock, stopping } = stoppingWith();
    stopping.first("readiness", () => void order.push("readiness"));
    stopping.underWay("listener", () => void order.push("listener"));
    stopping.underWay("agents", () => new Promise(() => undefined));
    stopping.last("backbone", () => void order.push("backbone"));
    const stopped = stopping.stop({ drainMs: 5_000 });
    await new Promise(setImmediate);
    clock.advance(4_999);
    await new Promise(setImmediate);
    expect(order).toEqual(["readiness"]);
    clock.advance(1);
    await new Promise(setImmediate);
    expect(order).toEqual(["readiness", "listener"]);
    clock.advance(20_000);
    await stopped;
    expect(order).toEqual(["readiness", "listener", "backbone"]);
  });

  it("when stop is called twice, then each part stops once", async () => {
    const { order, stopping } = stoppingWith();
    stopping.last("backbone", () => void order.push("backbone"));
    await Promise.all([stopping.stop(), stopping.stop()]);
    expect(order).toEqual(["backbone"]);
  });
});
