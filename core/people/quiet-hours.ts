import type { QuietHours } from "../contract/delivery-policy.ts";
import { timeZoneOf } from "../contract/viewer-time.ts";

/** The end of the quiet hours that are on now, in milliseconds since 1970; undefined outside of them. */
export const quietUntil = ({ from, to }: QuietHours, timeZone: string | undefined, now: number): number | undefined => {
  const clock = wallClock(timeZoneOf({ timeZone }));
  const sinceStart = minutesBetween(minutesOf(from), clock(now));
  if (sinceStart >= minutesBetween(minutesOf(from), minutesOf(to))) return undefined;
  const thisMinute = now - (now % MINUTE_MS);
  const end = thisMinute + minutesBetween(clock(now), minutesOf(to)) * MINUTE_MS;
  // Clocks may be changed in the night: then the end is an hour off, one way or the other.
  const offBy = ((minutesOf(to) - clock(end) + DAY / 2 + DAY) % DAY) - DAY / 2;
  const corrected = end + offBy * MINUTE_MS;
  return clock(corrected) === minutesOf(to) && corrected > now ? corrected : end;
};

const MINUTE_MS = 60_000;
const DAY = 24 * 60;

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
const minutesBetween = (from: number, to: number): number => (to - from + DAY) % DAY;

/** Minutes since midnight, as a clock on a wall there shows them. */
const wallClock = (timeZone: string) => {
  const format = new Intl.DateTimeFormat("en", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return (ms: number): number => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    return (parts.hour ?? 0) * 60 + (parts.minute ?? 0);
  };
};
