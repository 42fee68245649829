import { describe, expect, it } from "vitest";
import { KeyedRates, RateLimit } from "../../../adapters/contract/rate-limit.ts";

const twoAMinute = RateLimit.perMinute(2);

describe("given the rate limits of many accounts", () => {
  it("when an account reaches its limit, then it gets the time to wait, and others are not limited", () => {
    const rates = new KeyedRates();
    const take = (key: string, now: number) => Math.round(rates.take(key, twoAMinute, now));
    expect([take("ann", 0), take("ann", 0), take("ann", 0), take("bob", 0)]).toEqual([0, 0, 30_000, 0]);
    expect([take("ann", 20_000), take("ann", 30_000), take("ann", 30_000)]).toEqual([10_000, 0, 30_000]);
  });

  it("when accounts have different limits, then each limit applies separately", () => {
    const rates = new KeyedRates();
    const fast = new RateLimit(10, 1);
    expect([rates.take("ann", fast, 0), Math.round(rates.take("ann", fast, 0))]).toEqual([0, 100]);
    expect([rates.take("bob", twoAMinute, 0), rates.take("bob", twoAMinute, 0)]).toEqual([0, 0]);
  });

  it("when there are more accounts than the cache holds, then active accounts stay in it, also refused ones", () => {
    const rates = new KeyedRates();
    const once = RateLimit.perMinute(1);
    const isRefused = (key: string) => rates.take(key, once, 0) > 0;
    expect([isRefused("quiet"), isRefused("loud")]).toEqual([false, false]);
    for (let n = 0; n < 30_000; n++) rates.take(`stranger ${n}`, once, 0);
    expect(isRefused("loud")).toBe(true);
    for (let n = 30_000; n < 60_000; n++) rates.take(`stranger ${n}`, once, 0);
    expect([isRefused("loud"), isRefused("quiet")]).toEqual([true, false]);
  });
});
