import type { ParsedResult } from "chrono-node";
import { AppError } from "../../contract/app-error.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { languagesFor, type TimeLanguage } from "./languages.ts";
import { resolveWallClock, utcOf, type WallClock, wallClockAt } from "./wall-clock.ts";
import type { When } from "./when.ts";

/** The moment and the place in which words about a time are read. */
export interface Reader {
  readonly now: number;
  readonly timeZone: string;
  readonly locale?: string | undefined;
}

/** A time, with a note for the person if the clocks change around it. */
export interface ReadTime {
  readonly when: When;
  readonly note?: string;
}

/**
 * Reads a time in people's words, such as "tomorrow at 9" or "every weekday at 8", in the zone of the reader (M2).
 * Undefined: no language understands all of it. Throws "bad-input" with a question if it can mean two times.
 */
export const readWords = async (text: string, reader: Reader): Promise<ReadTime | undefined> => {
  for (const language of languagesFor(reader.locale)) {
    const rewritten = language.rewrites.reduce((words, [from, to]) => words.replace(from, to), text);
    const read = (await readRepetition(rewritten, language, reader)) ?? (await readOnce(rewritten, language, reader));
    if (read !== undefined) return read;
  }
  return undefined;
};

const readOnce = async (text: string, language: TimeLanguage, reader: Reader): Promise<ReadTime | undefined> => {
  const found = await parse(text, language, reader);
  if (found === undefined) return undefined;
  if (found.end != null) throw ask(text, "is a span of time; ask the person for one moment");
  const { now, timeZone } = reader;
  const { start } = found;
  const tags = [...start.tags()];
  const wall = ahead(found, language, reader);
  // A duration is a time that passes, whether or not the clocks change in it.
  if (tags.includes("result/relativeDateAndTime"))
    return once(now + utcOf(wall) - utcOf(wallClockAt(now, timeZone)), timeZone);
  checkDay(text, found, language, wall, reader);
  if (!start.isCertain("hour") && !(tags.includes("result/relativeDate") && language.span.test(text))) {
    throw ask(text, `has no time of day; ask the person at what time on ${dayText(wall)}`);
  }
  const offset = start.get("timezoneOffset");
  if (start.isCertain("timezoneOffset") && !tags.includes("result/relativeDate") && offset !== null)
    return once(utcOf(wall) - offset * 60_000, timeZone);
  checkHour(text, found, language, wall, reader);
  return onceAt(wall, timeZone);
};

/** The only time in the text. Undefined: there is none, there are several, or words are left over. */
const parse = async (text: string, language: TimeLanguage, { now, timeZone, locale = "" }: Reader) => {
  const parser = await language.parser(locale);
  // The library has no time zones, so it reads the fields of the person's clock as if they were UTC.
  const reference = { instant: new Date(utcOf(wallClockAt(now, timeZone))), timezone: 0 };
  const [found, ...more] = parser.parse(text, reference);
  if (found === undefined || more.length > 0) return undefined;
  const rest = text.slice(0, found.index) + text.slice(found.index + found.text.length);
  return /[\p{L}\p{N}]/u.test(rest.replace(language.fillers, "")) ? undefined : found;
};

type Components = ParsedResult["start"];

const wallOf = (start: Components): WallClock => ({
  year: start.get("year") ?? 0,
  month: start.get("month") ?? 1,
  day: start.get("day") ?? 1,
  hour: start.get("hour") ?? 0,
  minute: start.get("minute") ?? 0,
  second: start.get("second") ?? 0,
});

const DAY_MS = 24 * 3_600_000;

/** The next time with the fields that the text has: the library prefers the nearest one, which may have passed. */
const ahead = ({ start, text }: ParsedResult, { next, last }: TimeLanguage, { now, timeZone }: Reader): WallClock => {
  const wall = wallOf(start);
  const today = wallClockAt(now, timeZone);
  const hasPassed = (on: WallClock) => start.isCertain("hour") && utcOf(on) <= utcOf(today);
  if (start.isCertain("weekday") && !start.isCertain("day") && !last.test(text)) {
    const days = ((start.get("weekday") ?? 0) - weekdayOf(today) + 7) % 7;
    const on = { ...plusDays(today, days), ...hourOf(wall) };
    return days === 0 && (next.test(text) || hasPassed(on)) ? plusDays(on, 7) : on;
  }
  if (start.isCertain("month") && start.isCertain("day") && !start.isCertain("year")) {
    const on = { ...wall, year: today.year };
    const isOver = utcOf({ ...on, ...NIGHT }) < utcOf({ ...today, ...NIGHT }) || hasPassed(on);
    return isOver ? { ...on, year: today.year + 1 } : on;
  }
  const isClockOnly = !["day", "month", "year", "weekday"].some((field) => start.isCertain(field as "day"));
  if (!isClockOnly || !start.isCertain("hour")) return wall;
  const on = { ...today, ...hourOf(wall) };
  return hasPassed(on) ? plusDays(on, 1) : on;
};

const NIGHT = { hour: 0, minute: 0, second: 0 };

/** "next Friday" and "5/6" can be two days. */
const checkDay = (
  text: string,
  { start, text: matched }: ParsedResult,
  { next, mixesDayAndMonth }: TimeLanguage,
  wall: WallClock,
  { now, timeZone, locale }: Reader,
): void => {
  const today = wallClockAt(now, timeZone);
  const weekday = start.isCertain("weekday") && !start.isCertain("day") ? start.get("weekday") : null;
  if (weekday !== null && next.test(matched)) {
    const fromToday = (weekday - weekdayOf(today) + 7) % 7;
    const isLaterThisWeek = fromToday > 0 && isoWeekday(weekday) > isoWeekday(weekdayOf(today));
    if (isLaterThisWeek) {
      const [first, second] = [plusDays(today, fromToday), plusDays(today, fromToday + 7)];
      throw ask(text, `can be ${dayText(first)} or ${dayText(second)}; ask the person which one`);
    }
  }
  const isSlashed = /\d\/\d/.test(matched) && mixesDayAndMonth && !/-(?:US|GB|AU|NZ|IE|IN|ZA)$/i.test(locale ?? "");
  if (isSlashed && wall.day <= 12 && wall.month <= 12 && wall.day !== wall.month) {
    const swapped = { ...wall, day: wall.month, month: wall.day };
    throw ask(text, `can be ${dayText(wall)} or ${dayText(swapped)}; ask the person which one`);
  }
};

/** "at 9" can be in the morning or in the evening; with a day, hours from 7 to 12 are those of the day. */
const checkHour = (
  text: string,
  { start, text: matched }: ParsedResult,
  { hasTwelveHours }: TimeLanguage,
  wall: WallClock,
  { now, timeZone }: Reader,
): void => {
  // "noon" has no digits.
  const isTwelveHours =
    /\d/.test(matched) &&
    wall.hour >= 1 &&
    wall.hour <= 12 &&
    !start.isCertain("meridiem") &&
    !/\b0\d:\d\d/.test(matched);
  if (!isTwelveHours) return;
  const hasDay = start.isCertain("day") || start.isCertain("weekday") || start.isCertain("month");
  const hasPassedToday = resolveWallClock({ ...wallClockAt(now, timeZone), ...hourOf(wall) }, timeZone).at <= now;
  const isVague = hasTwelveHours ? !hasDay || wall.hour < 7 : !hasDay && hasPassedToday;
  if (!isVague) return;
  const evening = (wall.hour % 12) + 12;
  const clock = (hour: number) => `${String(hour).padStart(2, "0")}:${String(wall.minute).padStart(2, "0")}`;
  const times = hasDay
    ? `${clock(wall.hour % 12)} or ${clock(evening)} on ${dayText(wall)}`
    : `${clock(wall.hour % 12)} or ${clock(evening)}, today or tomorrow`;
  throw ask(text, `can be ${times}; ask the person which one`);
};

const hourOf = ({ hour, minute, second }: WallClock) => ({ hour, minute, second });

const readRepetition = async (text: string, language: TimeLanguage, reader: Reader): Promise<ReadTime | undefined> => {
  const found = repetitionIn(text, language);
  if (found === undefined) return undefined;
  const rest = text.replace(found.matched, " ").trim();
  if (rest.replace(language.fillers, "").trim() === "") throw ask(text, "has no time of day; ask the person for it");
  const time = await parse(rest, language, reader);
  if (time === undefined) return undefined;
  const { start } = time;
  const hasOnlyHour = start.isCertain("hour") && !start.isCertain("day") && !start.isCertain("weekday");
  if (time.end != null || !hasOnlyHour) throw ask(text, "has no single time of day; ask the person for it");
  const wall = wallOf(start);
  const isVague = language.hasTwelveHours && wall.hour < 7 && wall.hour > 0 && !start.isCertain("meridiem");
  if (isVague && !/\b0\d:\d\d/.test(rest))
    throw ask(text, `can be ${wall.hour}:00 or ${wall.hour + 12}:00; ask the person which one`);
  const expression = `${wall.minute} ${wall.hour} * * ${found.days}`;
  return { when: { kind: "cron", expression, timeZone: reader.timeZone } };
};

const repetitionIn = (text: string, { every, and, days, repetitions }: TimeLanguage) => {
  for (const [pattern, cronDays] of repetitions) {
    const [matched] = pattern.exec(text) ?? [];
    if (matched !== undefined) return { matched, days: cronDays };
  }
  const day = `(?:${days.map(([name]) => name).join("|")})`;
  const list = new RegExp(`(?<!\\p{L})${every} (${day}(?: ?${and} ?${day})*)(?!\\p{L})`, "iu").exec(text);
  if (list === null) return undefined;
  const [matched, named = ""] = list;
  const isNamed = ([name]: readonly [string, string]) =>
    new RegExp(`(?<!\\p{L})(?:${name})(?!\\p{L})`, "iu").test(named);
  return {
    matched,
    days: days
      .filter(isNamed)
      .map(([, number]) => number)
      .join(","),
  };
};

const once = (at: number, timeZone: string): ReadTime => ({ when: { kind: "once", at: isoTime(at), timeZone } });

const onceAt = (wall: WallClock, timeZone: string): ReadTime => {
  const { at, kind } = resolveWallClock(wall, timeZone);
  const read = once(at, timeZone);
  if (kind === "exact") return read;
  const note =
    kind === "skipped"
      ? "The clocks go forward over the requested time, so it is that much later."
      : "The clocks go back and show the requested time twice, so it is the first of the two.";
  return { ...read, note };
};

/** The model gets the question, so that it asks the person instead of guessing. */
const ask = (text: string, problem: string): AppError =>
  new AppError("bad-input", `"${text.slice(0, 100)}" ${problem}. Nothing is scheduled yet.`);

const weekdayOf = (wall: WallClock): number => new Date(utcOf(wall)).getUTCDay();
/** Weeks begin on Monday. */
const isoWeekday = (weekday: number): number => (weekday + 6) % 7;
const plusDays = (wall: WallClock, days: number): WallClock => wallClockAt(utcOf(wall) + days * DAY_MS, "UTC");

const dayText = (wall: WallClock): string =>
  new Intl.DateTimeFormat("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  }).format(utcOf(wall));
