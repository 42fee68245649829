import { describe, expect, it } from "vitest";
import { withinDeadline } from "../../../core/lib/index.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";

const never = new Promise<string>(() => undefined);

describe("given work with a deadline", () => {
  it("when it ends in time, then its result counts and no timer is left", async () => {
    const clock = new ManualClock();
    expect(await withinDeadline(clock, 100, Promise.resolve("done"), () => "late")).toBe("done");
    await Promise.resolve();
    expect(clock.pending).toBe(0);
  });

  it("when it fails in time, then the result is its error", async () => {
    const failing = Promise.reject(new Error("broken"));
    await expect(withinDeadline(new ManualClock(), 100, failing, () => "late")).rejects.toThrow("broken");
  });

  it("when it takes longer, then the fallback decides, also by throwing", async () => {
    const clock = new ManualClock();
    const late = withinDeadline(clock, 100, never, () => "late");
    const refused = withinDeadline(clock, 100, never, () => {
      throw new Error("too late");
    });
    clock.advance(100);
    expect(await late).toBe("late");
    await expect(refused).rejects.toThrow("too late");
  });
});
