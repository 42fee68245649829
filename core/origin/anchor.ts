import type { Anchor } from "../contract/anchor.ts";
import { relativeTime } from "../contract/relative-time.ts";
import type { ReplyOrigin } from "../contract/reply-origin.ts";
import type { ViewerTime } from "../contract/viewer-time.ts";
import { calendarDaysBetween, localeOf, timeZoneOf } from "../contract/viewer-time.ts";

/** The conversation in which a person looks at a reply: the delivery's target, not the reply's own. */
export interface Viewing extends ViewerTime {
  readonly channel: string;
  readonly sessionId: string | null;
}

/** Nothing if and only if the work began in the very conversation and session that is looked at (O8). */
export const anchorFor = (origin: ReplyOrigin, viewing: Viewing, now: number): Anchor | null => {
  if (origin.channel === viewing.channel && origin.sessionId === viewing.sessionId) return null;
  return {
    summary: origin.promptSummary,
    channel: origin.channel,
    startedAt: origin.startedAt,
    ...(origin.link !== undefined && { link: origin.link }),
    text: anchorText(origin, viewing, now),
  };
};

const anchorText = ({ channel, promptSummary, startedAt }: ReplyOrigin, viewer: ViewerTime, now: number): string => {
  const started = Date.parse(startedAt);
  const when = relativeTime(started, now, viewer);
  if (channel === "scheduled") return `scheduled · ${promptSummary} · ${when}`;
  // Its summary is "caller · skill".
  if (channel === "a2a-inbound") return `${promptSummary} · ${when}`;
  return `↳ Re: "${promptSummary}"\nstarted ${clockTime(started, now, viewer)} from ${capitalised(channel)} · ${when}`;
};

/** With the date if it was not today; with the year if it was not this year's. */
const clockTime = (started: number, now: number, viewer: ViewerTime): string => {
  const locale = localeOf(viewer);
  const timeZone = timeZoneOf(viewer);
  const time = new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone }).format(started);
  if (calendarDaysBetween(started, now, viewer) === 0) return time;
  const year = (ms: number) => new Intl.DateTimeFormat("en", { year: "numeric", timeZone }).format(ms);
  const date = new Intl.DateTimeFormat(locale, {
    day: "numeric",
    month: "short",
    timeZone,
    ...(year(started) !== year(now) && { year: "numeric" as const }),
  }).format(started);
  return `${date}, ${time}`;
};

const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
