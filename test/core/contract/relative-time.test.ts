import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { relativeTime } from "../../../core/contract/relative-time.ts";

const now = Date.parse("2026-03-10T12:00:00Z");
const earlier = (hours: number, minutes = 0, seconds = 0) => now - ((hours * 60 + minutes) * 60 + seconds) * 1_000;

describe("given a past time that a viewer sees (O11)", () => {
  it.each([
    [now + 3_600_000, "just now"],
    [earlier(0, 0, 59), "just now"],
    [earlier(0, 1), "1 min ago"],
    [earlier(0, 59, 59), "59 min ago"],
    [earlier(1), "1h ago"],
    [earlier(2, 14), "2h 14m ago"],
    [earlier(23, 59, 59), "23h 59m ago"],
    [earlier(24), "yesterday"],
    [earlier(48), "2 days ago"],
    [earlier(6 * 24), "6 days ago"],
    [earlier(7 * 24), "3 Mar 2026"],
  ])("when it was %d, then it reads %j", (then, text) => {
    expect(relativeTime(then, now)).toBe(text);
  });

  it("when two midnights have passed in the viewer's time zone, then it reads two days ago", () => {
    const then = Date.parse("2026-03-08T22:30:00Z");
    const later = Date.parse("2026-03-10T00:30:00Z");
    expect(relativeTime(then, later, { timeZone: "UTC" })).toBe("2 days ago");
    expect(relativeTime(then, later, { timeZone: "America/New_York" })).toBe("yesterday");
  });

  it("when a day has 25 hours, then more than 24 hours ago can still be today", () => {
    const then = Date.parse("2026-10-24T22:10:00Z"); // 00:10 in Berlin, on the day the clocks go back
    expect(relativeTime(then, then + 24.5 * 3_600_000, { timeZone: "Europe/Berlin" })).toBe("24h 30m ago");
  });

  it("when the viewer has another locale, then the text is in that language", () => {
    expect(relativeTime(earlier(24), now, { locale: "de" })).toBe("gestern");
    expect(relativeTime(earlier(3), now, { locale: "de-AT" })).toBe("vor 3 Stunden");
    expect(relativeTime(earlier(0, 0, 5), now, { locale: "fr_FR" })).toBe("maintenant");
  });

  it("when time zone and locale are invalid, then it still returns a text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.integer({ min: -1e12, max: 1e12 }), (timeZone, locale, delta) => {
        expect(relativeTime(now - delta, now, { timeZone, locale })).not.toBe("");
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  it.each([
    [-5_000, "just now"],
    [59_000, "just now"],
    [60_000, "1 min ago"],
    [8_040_000, "2h 14m ago"],
    [23 * 3_600_000, "23h ago"],
    [24 * 3_600_000, "yesterday"],
    [3 * 86_400_000, "3 days ago"],
    [7 * 86_400_000, "Mar 3, 2026"],
  ])("when the locale is en-US and %d ms have passed, then it reads %j", (ms, text) => {
    expect(relativeTime(now - ms, now, { locale: "en-US", timeZone: "UTC" })).toBe(text);
  });
});
