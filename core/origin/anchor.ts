import type { Anchor } from "../contract/anchor.ts";
import { relativeTime } from "../contract/relative-time.ts";
import type { ReplyOrigin } from "../contract/reply-origin.ts";
import type { ViewerTime } from "../contract/viewer-time.ts";
import { channelLabel } from "./channel-label.ts";
import { clockTime } from "./clock-time.ts";

/** The conversation in which a person looks at a reply: the delivery's target, not the reply's own. */
export interface Viewing extends ViewerTime {
  readonly channel: string;
  readonly sessionId: string | null;
}

/** The work began in the very conversation and session that is looked at: then, and only then, no anchor shows (O8). */
export const isAtHome = (origin: ReplyOrigin, { channel, sessionId }: Viewing): boolean =>
  origin.channel === channel && origin.sessionId === sessionId;

export const anchorFor = (origin: ReplyOrigin, viewing: Viewing, now: number): Anchor | null => {
  if (isAtHome(origin, viewing)) return null;
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
  if (channel === "scheduled") return `scheduled · ${isolated(promptSummary)} · ${when}`;
  // Its summary is "caller · skill".
  if (channel === "a2a-inbound") return `${isolated(promptSummary)} · ${when}`;
  // A quotation mark inside would seem to end it.
  return `↳ Re: "${isolated(promptSummary.replace(/["“”„]/g, "'"))}"\nstarted ${clockTime(started, now, viewer)} from ${channelLabel(channel)} · ${when}`;
};

/** Words that run from right to left must not pull the rest of the line along. */
const isolated = (words: string): string => (RIGHT_TO_LEFT.test(words) ? `\u2068${words}\u2069` : words);

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
