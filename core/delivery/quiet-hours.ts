import type { Conversation } from "../contract/messages/conversation.ts";
import type { DeliveryDefaults, QuietHours } from "../contract/messages/delivery-policy.ts";
import { timeZoneOf } from "../contract/relative-time.ts";
import { type PersonRecord, zoneOfPerson } from "../people/index.ts";

/** The end of the current quiet hours, in milliseconds since 1970; undefined outside of them. */
export const quietUntil = ({ from, to }: QuietHours, timeZone: string | undefined, now: number): number | undefined => {
  const clock = wallClock(timeZoneOf({ timeZone }));
  const sinceStart = minutesBetween(minutesOf(from), clock(now));
  if (sinceStart >= minutesBetween(minutesOf(from), minutesOf(to))) return undefined;
  const thisMinute = now - (now % MINUTE_MS);
  const end = thisMinute + minutesBetween(clock(now), minutesOf(to)) * MINUTE_MS;
  // A daylight saving change during the night shifts the end by an hour.
  const offBy = ((minutesOf(to) - clock(end) + DAY / 2 + DAY) % DAY) - DAY / 2;
  const corrected = end + offBy * MINUTE_MS;
  return clock(corrected) === minutesOf(to) && corrected > now ? corrected : end;
};

const MINUTE_MS = 60_000;
const DAY = 24 * 60;

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
const minutesBetween = (from: number, to: number): number => (to - from + DAY) % DAY;

/** Minutes since local midnight. */
const wallClock = (timeZone: string) => {
  const format = new Intl.DateTimeFormat("en", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return (ms: number): number => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    return (parts.hour ?? 0) * 60 + (parts.minute ?? 0);
  };
};

/** Private conversations follow the person's own quiet hours; shared ones follow their channel's. */
export const heldUntil = (
  conversation: Conversation,
  person: PersonRecord | undefined,
  { quietHours, timeZone }: DeliveryDefaults,
  now: number,
): number | undefined => {
  const isPrivate = conversation.kind === "private";
  const quiet = (isPrivate ? person?.quiet : undefined) ?? quietHours;
  if (quiet === undefined || quiet === "off") return undefined;
  return quietUntil(quiet, quiet.timeZone ?? (isPrivate ? zoneOfPerson(person) : undefined) ?? timeZone, now);
};
