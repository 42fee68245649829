import type { Anchor, ReplyAction } from "../../../core/contract/messages/agent-reply.ts";
import { escapeText, escapeUrl } from "./markdown.ts";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const MAX_SUMMARY_UNITS = 120;
const HALF_A_DAY_MS = 12 * 3_600_000;

/** Maximum length of a rendered anchor. */
export const MAX_ANCHOR = 420;

/**
 * One line of small print below the message, with live times in the reader's zone (O10). If the work began long
 * before, the line shows the date too, because the time alone would mislead.
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
  if (line.length <= MAX_SUMMARY_UNITS) return line;
  let cut = "";
  for (const { segment } of graphemes.segment(line)) {
    if (cut.length + segment.length >= MAX_SUMMARY_UNITS) break;
    cut += segment;
  }
  return `${cut}…`;
};

/** https://docs.discord.com/developers/components/reference */
const Component = { row: 1, button: 2 } as const;
const SECONDARY = 2;
const PER_ROW = 5;
const MAX_ROWS = 5;
const MAX_LABEL = 80;
const MAX_ID = 100;

/** Rows of buttons. Skips a button whose value does not fit into its id; people can type the command instead. */
export const renderActions = (actions: readonly ReplyAction[]): readonly unknown[] => {
  const buttons = actions
    .map(({ name, label, value = "" }) => ({
      type: Component.button,
      style: SECONDARY,
      label: Array.from(label).slice(0, MAX_LABEL).join("") || name,
      custom_id: `${MARK}${name}:${value}`,
    }))
    .filter(({ custom_id }, index, all) => custom_id.length <= MAX_ID && isFirst(custom_id, index, all))
    .slice(0, PER_ROW * MAX_ROWS);
  const rows: unknown[] = [];
  for (let at = 0; at < buttons.length; at += PER_ROW) {
    rows.push({ type: Component.row, components: buttons.slice(at, at + PER_ROW) });
  }
  return rows;
};

/** The command of a pressed button; undefined if the button is not ours. */
export const pressedAction = (customId: string): { name: string; args: string } | undefined => {
  const [, name, args = ""] = /^m1:([^:]+):([\s\S]*)$/.exec(customId) ?? [];
  return name === undefined ? undefined : { name, args };
};

const MARK = "m1:";

/** Discord rejects two buttons with the same id. */
const isFirst = (id: string, index: number, all: readonly { custom_id: string }[]): boolean =>
  all.findIndex(({ custom_id }) => custom_id === id) === index;
