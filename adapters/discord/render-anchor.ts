import type { Anchor } from "../../core/contract/anchor.ts";
import { escapeText, escapeUrl } from "./escape-text.ts";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const MOST_SUMMARY_UNITS = 120;
const HALF_A_DAY_MS = 12 * 3_600_000;

/** The most that an anchor takes of a message. */
export const LONGEST_ANCHOR = 420;

/**
 * One line of small print under the message; its times are live and in the reader's own zone (O10). Where it began
 * the day before, the clock time alone would mislead: then it has its date.
 */
export const renderAnchor = (anchor: Anchor, sentAt: string): string => {
  const seconds = Math.floor(Date.parse(anchor.startedAt) / 1_000);
  const longAgo = Date.parse(sentAt) - Date.parse(anchor.startedAt) > HALF_A_DAY_MS;
  const clockTime = `<t:${seconds}:${longAgo ? "f" : "t"}>`;
  const ago = `<t:${seconds}:R>`;
  const summary = escapeText(shortened(anchor.summary));
  if (anchor.channel === "scheduled") return `-# scheduled · ${summary} · ${ago}`;
  if (anchor.channel === "a2a-inbound") return `-# ${summary} · ${ago}`;
  const channel = escapeText(anchor.channel.charAt(0).toUpperCase() + anchor.channel.slice(1));
  const parts = [`↳ Re: "${summary}"`, `started ${clockTime} from ${channel}`, ago, ...jumpLink(anchor.link)];
  return `-# ${parts.join(" · ")}`;
};

const jumpLink = (link: string | undefined): string[] =>
  link !== undefined && /^https?:\/\//.test(link) && link.length <= 150 ? [`[jump](${escapeUrl(link)})`] : [];

const shortened = (summary: string): string => {
  const line = summary.replace(/\s+/g, " ").trim();
  if (line.length <= MOST_SUMMARY_UNITS) return line;
  let cut = "";
  for (const { segment } of graphemes.segment(line)) {
    if (cut.length + segment.length >= MOST_SUMMARY_UNITS) break;
    cut += segment;
  }
  return `${cut}…`;
};
