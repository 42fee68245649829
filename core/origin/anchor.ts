import type { Anchor } from "../contract/messages/agent-reply.ts";
import { channelLabel } from "../contract/messages/channel-label.ts";
import type { ReplyOrigin } from "../contract/messages/work-context.ts";
import {
  calendarDaysBetween,
  dateFormat,
  localeOf,
  relativeTime,
  timeZoneOf,
  type ViewerTime,
} from "../contract/relative-time.ts";
import { languageOf, textsFor } from "../contract/texts/texts.ts";
import { isAtHome } from "./capture.ts";

/** The conversation in which a person reads a reply: the delivery's target, not the reply's origin. */
interface Viewing extends ViewerTime {
  readonly channel: string;
  readonly sessionId: string | null;
}

export const anchorFor = (origin: ReplyOrigin, viewing: Viewing, now: number): Anchor | null => {
  if (isAtHome(origin, viewing)) return null;
  const language = languageOf(viewing.locale);
  return {
    summary: origin.promptSummary,
    channel: origin.channel,
    startedAt: origin.startedAt,
    ...(origin.link !== undefined && { link: origin.link }),
    ago: relativeTime(Date.parse(origin.startedAt), now, viewing),
    ...(origin.asked && { asked: askedAnchor(origin.asked, viewing, now) }),
    ...(language !== undefined && language !== "en" && { language }),
    text: anchorText(origin, viewing, now),
  };
};

const askedAnchor = ({ channel, at }: Asked, viewer: ViewerTime, now: number): NonNullable<Anchor["asked"]> => ({
  channel,
  at,
  ago: relativeTime(Date.parse(at), now, viewer),
});

type Asked = NonNullable<ReplyOrigin["asked"]>;

const askedText = ({ channel, at }: Asked, viewer: ViewerTime, now: number): string => {
  const when = Date.parse(at);
  const { askedFor, from } = textsFor(viewer.locale).anchors;
  return `\n${askedFor} ${clockTime(when, now, viewer)} ${from} ${channelLabel(channel)} · ${relativeTime(when, now, viewer)}`;
};

const anchorText = (
  { channel, promptSummary, startedAt, asked }: ReplyOrigin,
  viewer: ViewerTime,
  now: number,
): string => {
  const started = Date.parse(startedAt);
  const when = relativeTime(started, now, viewer);
  const words = textsFor(viewer.locale).anchors;
  if (channel === "scheduled")
    return `${words.scheduled} · ${isolated(promptSummary)} · ${when}${asked ? askedText(asked, viewer, now) : ""}`;
  // The summary of an inbound origin is "caller · skill".
  if (channel === "a2a-inbound") return `${isolated(promptSummary)} · ${when}`;
  // A quotation mark inside would look like the end of the quotation.
  return `↳ Re: "${isolated(promptSummary.replace(/["“”„]/g, "'"))}"\n${words.started} ${clockTime(started, now, viewer)} ${words.from} ${channelLabel(channel)} · ${when}`;
};

/** Isolates right-to-left text, so that the rest of the line keeps its direction. */
const isolated = (text: string): string => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** The time of day in the viewer's locale, with the date if it was not today and the year if it was not this year. */
export const clockTime = (then: number, now: number, viewer: ViewerTime): string => {
  const locale = localeOf(viewer);
  const timeZone = timeZoneOf(viewer);
  const time = dateFormat(locale, { timeStyle: "short", timeZone }).format(then);
  if (calendarDaysBetween(then, now, viewer) === 0) return time;
  const year = (ms: number) => dateFormat("en", { year: "numeric", timeZone }).format(ms);
  const date = dateFormat(locale, {
    day: "numeric",
    month: "short",
    timeZone,
    ...(year(then) !== year(now) && { year: "numeric" as const }),
  }).format(then);
  return `${date}, ${time}`;
};
