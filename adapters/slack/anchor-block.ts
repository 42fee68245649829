import type { types } from "@slack/bolt";
import type { Anchor } from "../../core/contract/anchor.ts";
import { escapeMrkdwn } from "./escape-mrkdwn.ts";
import { linkTo } from "./link.ts";

/** A block of its own, which no text can imitate; the reader's client writes the time in their own zone (O10). */
export const anchorBlock = (anchor: Anchor): types.ContextBlock => ({
  type: "context",
  elements: [{ type: "mrkdwn", text: anchorText(anchor), verbatim: true }],
});

export const anchorText = ({ summary, channel, startedAt, link }: Anchor): string => {
  const when = localTime(startedAt);
  const what = link === undefined ? escapeMrkdwn(summary) : linkTo(link, escapeMrkdwn(summary));
  if (channel === "scheduled") return `scheduled · ${what} · ${when}`;
  // Its summary is "caller · skill".
  if (channel === "a2a-inbound") return `${what} · ${when}`;
  return `↳ Re: "${what}"\nstarted ${when} from ${escapeMrkdwn(channel.charAt(0).toUpperCase() + channel.slice(1))}`;
};

/** The fallback is what notifications and old clients show. */
const localTime = (iso: string): string => {
  const fallback = iso.replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC");
  return `<!date^${Math.floor(Date.parse(iso) / 1_000)}^{date_short_pretty} at {time}|${escapeMrkdwn(fallback)}>`;
};
