import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { understandWhen } from "../../../../core/schedules/when/parse-when.ts";
import { resolveWallClock, utcOf, wallClockAt } from "../../../../core/schedules/when/wall-clock.ts";
import { nextDue } from "../../../../core/schedules/when/when.ts";
import { propertyRuns } from "../../../setup/property-runs.ts";

/** Wednesday, 18 November 2026, 12:00 in Berlin. */
const NOW = Date.parse("2026-11-18T11:00:00Z");
const berlin = { now: NOW, timeZone: "Europe/Berlin" };

const read = async (text: string, more: object = {}): Promise<string> => {
  const reader = { ...berlin, ...more };
  const { when } = await understandWhen(text, reader);
  if (when.kind === "cron") return `${when.expression} ${when.timeZone}`;
  const at = nextDue(when, reader.now) ?? 0;
  const { year, month, day, hour, minute } = wallClockAt(at, reader.timeZone);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}`;
};

describe("given a time in a person's words", () => {
  it.each([
    ["tomorrow at 9", "2026-11-19 09:00"],
    ["next Monday at 14:00", "2026-11-23 14:00"],
    ["in 20 minutes", "2026-11-18 12:20"],
    ["in 1 hour and 5 minutes", "2026-11-18 13:05"],
    ["the day after tomorrow at 8", "2026-11-20 08:00"],
    ["wednesday at 14:00", "2026-11-18 14:00"],
    ["wednesday at 10:00", "2026-11-25 10:00"],
    ["at 14:30", "2026-11-18 14:30"],
    ["at 11:30 am", "2026-11-19 11:30"],
    ["9pm", "2026-11-18 21:00"],
    ["tomorrow at noon", "2026-11-19 12:00"],
    ["in 3 days at 8am", "2026-11-21 08:00"],
    ["3 March at 18:00", "2027-03-03 18:00"],
    ["tomorrow at 9 UTC", "2026-11-19 10:00"],
    ["übermorgen um 8", "2026-11-20 08:00"],
    ["nächsten Montag um 14 Uhr", "2026-11-23 14:00"],
    ["in einer halben Stunde", "2026-11-18 12:30"],
    ["heute um 13 Uhr", "2026-11-18 13:00"],
    ["24.12. um 18 Uhr", "2026-12-24 18:00"],
    ["morgen um halb neun", "2026-11-19 08:30"],
    ["mañana a las 9", "2026-11-19 09:00"],
    ["pasado mañana a las 8", "2026-11-20 08:00"],
    ["el lunes a las 14:00", "2026-11-23 14:00"],
    ["dentro de 20 minutos", "2026-11-18 12:20"],
    ["mañana a las 9 de la noche", "2026-11-19 21:00"],
  ])("when they write %s, then it is %s on their clock (M2)", async (text, expected) => {
    expect(await read(text)).toBe(expected);
  });

  it.each([
    ["every weekday at 8", "0 8 * * 1-5 Europe/Berlin"],
    ["every Monday and Thursday at 9:30", "30 9 * * 1,4 Europe/Berlin"],
    ["daily at 17:00", "0 17 * * * Europe/Berlin"],
    ["jeden Werktag um 8 Uhr", "0 8 * * 1-5 Europe/Berlin"],
    ["jeden Montag und Freitag um 8:15 Uhr", "15 8 * * 1,5 Europe/Berlin"],
    ["todos los días a las 8", "0 8 * * * Europe/Berlin"],
    ["0 9 * * 1-5", "0 9 * * 1-5 Europe/Berlin"],
  ])("when %s repeats, then it is the cron expression %s (P1)", async (text, expected) => {
    expect(await read(text)).toBe(expected);
  });

  it.each([
    ["at 9", "can be 09:00 or 21:00, today or tomorrow; ask the person which one"],
    ["um 9", "can be 09:00 or 21:00, today or tomorrow; ask the person which one"],
    ["tomorrow at 3", "can be 03:00 or 15:00 on Thursday, 19 November 2026; ask the person which one"],
    ["next Friday at 15:00", "can be Friday, 20 November 2026 or Friday, 27 November 2026; ask the person which one"],
    ["nächsten Freitag um 9 Uhr", "can be Friday, 20 November 2026 or Friday, 27 November 2026"],
    ["5/6 at 10:00", "can be Saturday, 5 June 2027 or Thursday, 6 May 2027; ask the person which one"],
    ["tomorrow", "has no time of day; ask the person at what time on Thursday, 19 November 2026"],
    ["morgen früh", "has no time of day"],
    ["next week", "has no time of day"],
    ["every weekday", "has no time of day"],
    ["daily at 5", "can be 5:00 or 17:00"],
    ["tomorrow from 9 to 10", "is a span of time; ask the person for one moment"],
  ])("when %s can mean several times, then the result says what to ask (M2)", async (text, problem) => {
    await expect(read(text)).rejects.toThrow(problem);
  });

  it.each(["yesterday at 9", "today at 9am", "last monday at 9:00", "1 december 2025 at 9:00"])(
    "when %s has passed, then it is refused with the time of now (M2)",
    async (text) => {
      const now = "has already passed: it is now Wed, 18 Nov 2026, 12:00 Europe/Berlin";
      await expect(read(text)).rejects.toThrow(now);
    },
  );

  it.each(["when pigs fly", "monday or tuesday at 9", "30 February at 9:00", "", "x".repeat(5_000), "1 ".repeat(90)])(
    "when %s is not a time, then the result names forms that are (M2)",
    async (text) => {
      await expect(read(text)).rejects.toMatchObject({ code: "bad-input" });
    },
  );

  it("when an American writes 5/6, then the month comes first, and a Briton's day comes first (M2)", async () => {
    expect(await read("5/6 at 10:00", { locale: "en-US" })).toBe("2027-05-06 10:00");
    expect(await read("5/6 at 10:00", { locale: "en-GB" })).toBe("2027-06-05 10:00");
  });

  it("when German people write um 9 before nine, then it is today, because they have a clock of 24 hours (M2)", async () => {
    expect(await read("um 9", { now: Date.parse("2026-11-18T06:00:00Z") })).toBe("2026-11-18 09:00");
  });

  it("when words are those of two languages, then the person's own language counts (M2)", async () => {
    // "morgen" is tomorrow, and in another language a part of the day.
    expect(await read("morgen um 9", { locale: "de-AT" })).toBe("2026-11-19 09:00");
    expect(await read("morgen um 9", { locale: "pt-BR" })).toBe("2026-11-19 09:00");
  });
});

describe("given a day on which the clocks change", () => {
  const spring = { now: Date.parse("2027-03-27T11:00:00Z"), timeZone: "Europe/Berlin" };
  const autumn = { now: Date.parse("2026-10-24T10:00:00Z"), timeZone: "Europe/Berlin" };

  it("when the time is skipped, then it is as much later, and the note says so (M2)", async () => {
    const { when, note } = await understandWhen("tomorrow at 02:30", spring);
    expect(when).toMatchObject({ at: "2027-03-28T01:30:00.000Z" });
    expect(note).toContain("go forward");
  });

  it("when the time occurs twice, then it is the first one, and the note says so (M2)", async () => {
    const { when, note } = await understandWhen("tomorrow at 02:30", autumn);
    expect(when).toMatchObject({ at: "2026-10-25T00:30:00.000Z" });
    expect(note).toContain("twice");
  });

  it("when a duration passes the change, then it keeps its length (M2)", async () => {
    const { when } = await understandWhen("in 20 hours and 1 minute", autumn);
    expect(when).toMatchObject({ at: "2026-10-25T06:01:00.000Z" });
  });

  it("when a day is said, then it has the same time on the clock (M2)", async () => {
    expect(await read("tomorrow at 12:00", autumn)).toBe("2026-10-25 12:00");
  });
});

const zones = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
const moments = fc.integer({ min: Date.parse("2000-01-01") / 1_000, max: Date.parse("2040-01-01") / 1_000 });

describe("given any time zone", () => {
  it("when the clock shows a moment, then its fields resolve to it, or to the same fields before it (M2)", () => {
    fc.assert(
      fc.property(zones, moments, (timeZone, second) => {
        const wall = wallClockAt(second * 1_000, timeZone);
        const { at, kind } = resolveWallClock(wall, timeZone);
        expect(kind).not.toBe("skipped");
        expect(wallClockAt(at, timeZone)).toEqual(wall);
        if (kind === "exact") expect(at).toBe(second * 1_000);
        else expect(at).toBeLessThanOrEqual(second * 1_000);
      }),
      propertyRuns(150),
    );
  });

  it("when any fields are resolved, then the clock shows them then, unless the clocks skip them (M2)", () => {
    fc.assert(
      fc.property(zones, moments, (timeZone, second) => {
        const wall = wallClockAt(second * 1_000, "UTC");
        const { at, kind } = resolveWallClock(wall, timeZone);
        const shown = wallClockAt(at, timeZone);
        if (kind === "skipped") expect(utcOf(shown)).toBeGreaterThan(utcOf(wall));
        else expect(shown).toEqual(wall);
      }),
      propertyRuns(150),
    );
  });

  it("when someone names a day and a time, then their clock shows exactly that time, unless it is skipped (M2)", async () => {
    await fc.assert(
      fc.asyncProperty(zones, moments, fc.integer({ min: 0, max: 1_439 }), async (timeZone, second, minutes) => {
        const [hour, minute] = [Math.floor(minutes / 60), minutes % 60];
        const spelled = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
        const now = second * 1_000;
        const { when, note } = await understandWhen(`tomorrow at ${spelled}`, { now, timeZone });
        const shown = wallClockAt(Date.parse((when as { at: string }).at), timeZone);
        const { year, month, day } = wallClockAt(utcOf(wallClockAt(now, timeZone)) + 24 * 3_600_000, "UTC");
        if (note?.includes("forward")) return;
        expect(shown).toEqual({ year, month, day, hour, minute, second: 0 });
      }),
      propertyRuns(60),
    );
  });
});
