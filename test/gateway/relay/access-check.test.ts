import { describe, expect, it } from "vitest";
import { accessCheck } from "../../../gateway/relay/access-check.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";

const verdicts = (check: (account: string) => void, accounts: readonly string[]): string[] =>
  accounts.map((account) => {
    try {
      check(account);
      return "may";
    } catch (error) {
      return (error as { code: string }).code;
    }
  });

describe("given who may talk on a channel (I2)", () => {
  it("when nothing is said, or everybody, then everybody may", () => {
    for (const access of [undefined, {}, { accounts: "*" as const }]) {
      expect(verdicts(accessCheck(access, new ManualClock()), ["ann", "bob"])).toEqual(["may", "may"]);
    }
  });

  it("when accounts are listed, then nobody else may", () => {
    const check = accessCheck({ accounts: ["ann"] }, new ManualClock());
    expect(verdicts(check, ["ann", "Ann", "bob"])).toEqual(["may", "forbidden", "forbidden"]);
  });

  it("when an account has sent its share of a minute, then it waits, and others do not", () => {
    const clock = new ManualClock();
    const check = accessCheck({ messagesPerMinute: 2 }, clock);
    expect(verdicts(check, ["ann", "ann", "ann", "bob"])).toEqual(["may", "may", "rate-limited", "may"]);
    clock.advance(30_000);
    expect(verdicts(check, ["ann", "ann"])).toEqual(["may", "rate-limited"]);
    clock.advance(600_000);
    expect(verdicts(check, ["ann", "ann", "ann"])).toEqual(["may", "may", "rate-limited"]);
  });
});
