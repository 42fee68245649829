import { BoundedCache } from "./bounded-cache.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The time zone and language of the reader. Values come from platforms; an invalid one counts as absent. */
export interface ViewerTime {
  readonly timeZone?: string | undefined;
  readonly locale?: string | undefined;
}

/** British English reads like the examples of the specification: 21:14, 3 Mar 2026. */
const DEFAULT_LOCALE = "en-GB";

export const localeOf = ({ locale }: ViewerTime): string => {
  try {
    return Intl.getCanonicalLocales(locale?.replaceAll("_", "-"))[0] ?? DEFAULT_LOCALE;
  } catch {
    return DEFAULT_LOCALE;
  }
};

export const timeZoneOf = ({ timeZone }: ViewerTime): string => {
  try {
    return dateFormat("en", { timeZone: timeZone || "UTC" }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
};

/** Days between two moments as the viewer's calendar counts them. */
export const calendarDaysBetween = (from: number, to: number, viewer: ViewerTime): number => {
  const day = dateFormat("en-CA", {
    timeZone: timeZoneOf(viewer),
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const dayNumber = (ms: number) => {
    const parts = Object.fromEntries(day.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(parts.year ?? 0, (parts.month ?? 1) - 1, parts.day) / DAY_MS;
  };
  return Math.round(dayNumber(to) - dayNumber(from));
};

/** "3 min ago", "yesterday": elapsed time within a day, then calendar days in the viewer's zone (O11). */
export const relativeTime = (then: number, now: number, viewer: ViewerTime = {}): string => {
  const elapsedMs = now - then;
  if (elapsedMs < DAY_MS) return elapsed(elapsedMs, viewer);
  const days = calendarDaysBetween(then, now, viewer);
  // On a day with 25 hours, more than 24 h ago can still be today.
  if (days === 0) return elapsed(elapsedMs, viewer);
  if (days < 7) return ago(viewer).format(-days, "day");
  return dateFormat(localeOf(viewer), { dateStyle: "medium", timeZone: timeZoneOf(viewer) }).format(then);
};

const elapsed = (elapsedMs: number, viewer: ViewerTime): string => {
  const english = localeOf(viewer).startsWith("en");
  const hours = Math.floor(elapsedMs / HOUR_MS);
  const minutes = Math.floor((elapsedMs % HOUR_MS) / MINUTE_MS);
  if (elapsedMs < MINUTE_MS) return english ? "just now" : ago(viewer).format(0, "second");
  if (hours === 0) return english ? `${minutes} min ago` : ago(viewer).format(-minutes, "minute");
  if (!english) return ago(viewer).format(-hours, "hour");
  return minutes === 0 ? `${hours}h ago` : `${hours}h ${minutes}m ago`;
};

const ago = (viewer: ViewerTime) => relativeFormat(localeOf(viewer));

/** Creating a format takes a hundred times as long as using it, and few combinations of locale and zone are in use. */
const MAX_FORMATS = 500;

const dates = new BoundedCache<string, Intl.DateTimeFormat>(MAX_FORMATS);
const relatives = new BoundedCache<string, Intl.RelativeTimeFormat>(MAX_FORMATS);

/** A cached format. Throws a RangeError for an unknown locale or time zone. */
export const dateFormat = (locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = dates.get(key);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat(locale, options);
  dates.set(key, format);
  return format;
};

const relativeFormat = (locale: string): Intl.RelativeTimeFormat => {
  const known = relatives.get(locale);
  if (known !== undefined) return known;
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  relatives.set(locale, format);
  return format;
};
