import { BoundedCache } from "../../contract/bounded-cache.ts";

/** The fields of a clock on the wall; months count from 1. */
export interface WallClock {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** A moment for the fields of a wall clock. */
export interface ResolvedWallClock {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** "skipped": the clocks go forward over this time, so the moment is later. "repeated": it is the first of two. */
  readonly kind: "exact" | "skipped" | "repeated";
}

const DAY_MS = 24 * 3_600_000;

/**
 * The moment at which a clock in the zone shows these fields. The offsets a day before and a day after include every change
 * around it, because an offset is at most 14 hours.
 */
export const resolveWallClock = (wall: WallClock, timeZone: string): ResolvedWallClock => {
  const asUtc = utcOf(wall);
  const before = offsetAt(asUtc - DAY_MS, timeZone);
  const after = offsetAt(asUtc + DAY_MS, timeZone);
  const fits = [...new Set([asUtc - before, asUtc - after])].filter((at) => at + offsetAt(at, timeZone) === asUtc);
  const [first] = fits.sort((a, b) => a - b);
  if (first === undefined) return { at: asUtc - before, kind: "skipped" };
  return { at: first, kind: fits.length > 1 ? "repeated" : "exact" };
};

/** The clock of a zone at a moment. */
export const wallClockAt = (at: number, timeZone: string): WallClock => {
  const parts = formatOf(timeZone).formatToParts(at);
  const field = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  return {
    year: field("year"),
    month: field("month"),
    day: field("day"),
    hour: field("hour"),
    minute: field("minute"),
    second: field("second"),
  };
};

/** The moment at which a clock in UTC shows the fields; a day or month beyond its range carries over. */
export const utcOf = ({ year, month, day, hour, minute, second }: WallClock): number =>
  Date.UTC(year, month - 1, day, hour, minute, second);

const offsetAt = (at: number, timeZone: string): number => {
  const seconds = Math.floor(at / 1_000) * 1_000;
  return utcOf(wallClockAt(seconds, timeZone)) - seconds;
};

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(timeZone, format);
  }
  return format;
};

const formats = new BoundedCache<string, Intl.DateTimeFormat>(500);
