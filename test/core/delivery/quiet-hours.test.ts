import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quietUntil } from "../../../core/delivery/quiet-hours.ts";

const night = { from: "22:00", to: "07:00" };
const at = (iso: string) => Date.parse(iso);
const until = (hours: { from: string; to: string }, zone: string, now: string) => {
  const end = quietUntil(hours, zone, at(now));
  return end === undefined ? undefined : new Date(end).toISOString();
};

describe("given quiet hours over midnight (D2)", () => {
  it.each([
    ["before they begin", "UTC", "2026-03-10T21:59:59.999Z", undefined],
    ["when they begin", "UTC", "2026-03-10T22:00:00.000Z", "2026-03-11T07:00:00.000Z"],
    ["after midnight", "UTC", "2026-03-11T06:59:59.999Z", "2026-03-11T07:00:00.000Z"],
    ["when they are over", "UTC", "2026-03-11T07:00:00.000Z", undefined],
    ["in the person's zone", "Asia/Kolkata", "2026-03-10T16:30:00.000Z", "2026-03-11T01:30:00.000Z"],
    ["in a night that is an hour shorter", "Europe/Berlin", "2026-03-28T22:00:00.000Z", "2026-03-29T05:00:00.000Z"],
    ["in a night that is an hour longer", "Europe/Berlin", "2026-10-24T21:00:00.000Z", "2026-10-25T06:00:00.000Z"],
  ])("%s", (_, zone, now, expected) => expect(until(night, zone, now)).toBe(expected));

  it.each([
    ["seen in the hour before", "Europe/Berlin", "2026-03-29T00:30:00.000Z", "2026-03-29T01:30:00.000Z"],
    ["seen the evening before", "Europe/Berlin", "2026-03-28T22:00:00.000Z", "2026-03-29T01:30:00.000Z"],
    ["seen after midnight", "America/New_York", "2026-03-08T05:15:00.000Z", "2026-03-08T07:30:00.000Z"],
  ])(
    "when they end in the hour that daylight saving skips, %s, then they end an hour later on the wall clock",
    (_, zone, now, end) => {
      expect(until({ from: "22:00", to: "02:30" }, zone, now)).toBe(end);
    },
  );

  it("when they begin and end on the same day, then they do not cover midnight", () => {
    expect(until({ from: "12:00", to: "13:00" }, "UTC", "2026-03-10T12:30:00.000Z")).toBe("2026-03-10T13:00:00.000Z");
    expect(until({ from: "12:00", to: "13:00" }, "UTC", "2026-03-10T23:30:00.000Z")).toBeUndefined();
  });

  it("when the zone is invalid, then UTC is used", () => {
    expect(until(night, "Atlantis/Centre", "2026-03-10T22:00:00.000Z")).toBe("2026-03-11T07:00:00.000Z");
  });

  it("given any hours, zone and moment, then the end is in the future, within a day, and not quiet", () => {
    const time = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));
    const zone = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe");
    const moment = fc.integer({ min: at("2026-01-01T00:00:00Z"), max: at("2027-01-01T00:00:00Z") });
    fc.assert(
      fc.property(time, time, zone, moment, (from, to, timeZone, now) => {
        fc.pre(from !== to);
        const end = quietUntil({ from, to }, timeZone, now);
        if (end === undefined) return;
        expect(end).toBeGreaterThan(now);
        expect(end - now).toBeLessThanOrEqual(25 * 3_600_000);
        const again = quietUntil({ from, to }, timeZone, end);
        // When clocks are set back, the last quiet hour occurs twice.
        if (again !== undefined) expect(again - end).toBeLessThanOrEqual(3_600_000);
      }),
      { numRuns: 500 },
    );
  });
});
