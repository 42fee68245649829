import type { ViewerTime } from "../contract/viewer-time.ts";
import { calendarDaysBetween, localeOf, timeZoneOf } from "../contract/viewer-time.ts";

/** The time of day as the viewer reads it: with the date if it was not today; with the year if it was not this year's. */
export const clockTime = (then: number, now: number, viewer: ViewerTime): string => {
  const locale = localeOf(viewer);
  const timeZone = timeZoneOf(viewer);
  const time = new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone }).format(then);
  if (calendarDaysBetween(then, now, viewer) === 0) return time;
  const year = (ms: number) => new Intl.DateTimeFormat("en", { year: "numeric", timeZone }).format(ms);
  const date = new Intl.DateTimeFormat(locale, {
    day: "numeric",
    month: "short",
    timeZone,
    ...(year(then) !== year(now) && { year: "numeric" as const }),
  }).format(then);
  return `${date}, ${time}`;
};
