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
  return `↳ Re: "${promptSummary}"\nstarted ${clockTime(started, now, viewer)} from ${channelLabel(channel)} · ${when}`;
};
