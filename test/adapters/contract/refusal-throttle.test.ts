import { describe, expect, it } from "vitest";
import { RefusalThrottle } from "../../../adapters/contract/refusal-throttle.ts";

describe("given a refused account (I2)", () => {
  it("when it writes again within ten minutes, then it sees the same notice once", () => {
    let now = 0;
    const throttle = new RefusalThrottle({ monotonic: () => now });
    const mayShow = () => [
      throttle.mayShow("ann", "why"),
      throttle.mayShow("ann", "other"),
      throttle.mayShow("bob", "why"),
    ];
    expect(mayShow()).toEqual([true, true, true]);
    now = 10 * 60_000 - 1;
    expect(mayShow()).toEqual([false, false, false]);
    now = 10 * 60_000;
    expect(mayShow()).toEqual([true, true, true]);
  });
});
