import { describe, expect, it } from "vitest";
import { parseWhen } from "../../../../core/schedules/when/parse-when.ts";
import { describeWhen, lastDue, nextDue } from "../../../../core/schedules/when/when.ts";

const now = Date.parse("2026-11-16T08:00:00Z");
const berlin = { now, timeZone: "Europe/Berlin" };
const next = (text: string, options = berlin) => {
  const due = nextDue(parseWhen(text, options), options.now);
  return due === undefined ? undefined : new Date(due).toISOString();
};

describe("given the text of a time", () => {
  it.each([
    ["0 9 * * 1-5", "2026-11-17T08:00:00.000Z", "every weekday at 09:00 Europe/Berlin, next: Tue, 17 Nov 2026, 09:00"],
    ["30 7 * * *", "2026-11-17T06:30:00.000Z", "every day at 07:30 Europe/Berlin, next: Tue, 17 Nov 2026, 07:30"],
    ["0 18 * * fri", "2026-11-20T17:00:00.000Z", "every Friday at 18:00 Europe/Berlin, next: Fri, 20 Nov 2026, 18:00"],
    [
      "0 6 1 * *",
      "2026-12-01T05:00:00.000Z",
      "on day 1 of every month at 06:00 Europe/Berlin, next: Tue, 1 Dec 2026, 06:00",
    ],
    ["*/15 * * * *", "2026-11-16T08:15:00.000Z", "every 15 minutes, next: Mon, 16 Nov 2026, 09:15"],
    ["5 * * * *", "2026-11-16T08:05:00.000Z", "every hour at minute 5, next: Mon, 16 Nov 2026, 09:05"],
    [
      "0 9-17/2 * 1,6 *",
      "2027-01-01T08:00:00.000Z",
      'by the cron expression "0 9-17/2 * 1,6 *" in Europe/Berlin, next: Fri, 1 Jan 2027, 09:00',
    ],
    ["in 20 s", "2026-11-16T08:00:20.000Z", "once, on Mon, 16 Nov 2026, 09:00:20 Europe/Berlin"],
    ["in 2 hours", "2026-11-16T10:00:00.000Z", "once, on Mon, 16 Nov 2026, 11:00 Europe/Berlin"],
    ["every 2 h", "2026-11-16T10:00:00.000Z", "every 2 hours, next: Mon, 16 Nov 2026, 11:00"],
    ["every day", "2026-11-17T08:00:00.000Z", "every day, next: Tue, 17 Nov 2026, 09:00"],
    ["2026-12-24T18:00", "2026-12-24T17:00:00.000Z", "once, on Thu, 24 Dec 2026, 18:00 Europe/Berlin"],
    ["2026-12-24 18:00:00Z", "2026-12-24T18:00:00.000Z", "once, on Thu, 24 Dec 2026, 19:00 Europe/Berlin"],
    ["2026-12-24T18:00+05:30", "2026-12-24T12:30:00.000Z", "once, on Thu, 24 Dec 2026, 13:30 Europe/Berlin"],
  ])("when it is %s, then it is parsed and described (P1)", (text, due, description) => {
    expect(next(text)).toBe(due);
    expect(describeWhen(parseWhen(text, berlin), now)).toBe(description);
  });

  it.each([
    ["2026-02-30T09:00", "does not exist"],
    ["2027-01-01T25:00", "does not exist"],
    ["2020-01-01T09:00", "has already passed"],
    ["0 0 30 2 *", "never occurs"],
    ["61 9 * * *", "is not a cron expression"],
    ["* * * * * *", "the shortest interval is one minute"],
    ["every 1 s", "the shortest interval is one minute"],
    ["every second", "the shortest interval is one minute"],
    ["in 0 s", "the minimum is one second"],
    ["in 999999999 weeks", "more than ten years away"],
    ["tomorrow-ish", "is not a time that I understand"],
    ["", "is not a time that I understand"],
  ])("when it is %j, then the error says what is wrong", (text, message) => {
    expect(() => parseWhen(text, berlin)).toThrow(message);
  });

  it("when the time zone does not exist, then the error names it", () => {
    expect(() => parseWhen("in 20 s", { now, timeZone: "Mars/Olympus" })).toThrow('"Mars/Olympus" is not a time zone');
  });
});

describe("given a daylight saving change", () => {
  const at = (iso: string) => ({ now: Date.parse(iso), timeZone: "Europe/Berlin" });

  it("when the time is skipped, then it runs when the gap ends; when the time occurs twice, then it runs once (P1)", () => {
    expect(next("30 2 * * *", at("2026-03-28T12:00:00Z"))).toBe("2026-03-29T01:00:00.000Z");
    const autumn = parseWhen("30 2 * * *", at("2026-10-24T12:00:00Z"));
    const first = nextDue(autumn, Date.parse("2026-10-24T12:00:00Z")) ?? 0;
    expect(new Date(first).toISOString()).toBe("2026-10-25T00:30:00.000Z");
    expect(new Date(nextDue(autumn, first) ?? 0).toISOString()).toBe("2026-10-26T01:30:00.000Z");
  });

  it("when a one-time schedule falls into the gap, then it runs after the gap", () => {
    expect(next("2026-03-29T02:30", at("2026-03-01T00:00:00Z"))).toBe("2026-03-29T01:30:00.000Z");
  });
});

describe("given a recurring time", () => {
  it.each(["*/7 * * * *", "0 9 * * 1-5", "every 90 m", "30 2 29 2 *"])(
    "when it is %s, then its last due time up to the next one is the next one, and just before that an earlier one",
    (text) => {
      const when = parseWhen(text, berlin);
      const due = nextDue(when, now) ?? 0;
      expect(lastDue(when, due)).toBe(due);
      expect(lastDue(when, due - 1) ?? 0).toBeLessThanOrEqual(now);
    },
  );
});
