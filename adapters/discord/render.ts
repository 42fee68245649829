import { createHash } from "node:crypto";
import type { Anchor, ReplyAction } from "../../core/contract/messages/agent-reply.ts";
import { channelLabel } from "../../core/contract/messages/channel-label.ts";
import { textsFor } from "../../core/contract/texts/texts.ts";
import type { Delivery, Section } from "../contract/channel-adapter.ts";
import { cutToUnits } from "../contract/markdown/cut-text.ts";
import { splitMarkdown } from "../contract/markdown/split-markdown.ts";
import { offeredActions } from "../contract/render-delivery.ts";
import { escapeText, escapeUrl, renderMarkdown } from "./markdown.ts";

/** https://docs.discord.com/developers/resources/message#create-message */
const MAX_MESSAGE = 2_000;

/** Leaves room for the anchor and for escaping. */
export const MAX_PART_LENGTH = 1_400;

export interface Post {
  readonly content: string;
  readonly components: readonly unknown[];
  readonly allowed_mentions: { readonly parse: readonly never[] };
}

/**
 * Renders a part as one message, or as several if its mark-up does not fit into one. Deterministic, so that a retry
 * has the same messages.
 */
export const renderParts = (delivery: Delivery): readonly Post[] => {
  const texts = delivery.plain ? plainTexts(delivery) : renderedTexts(delivery);
  return texts.map((content, index) => ({
    content,
    components: index === texts.length - 1 ? renderActions(offeredActions(delivery)) : [],
    allowed_mentions: { parse: [] },
  }));
};

const renderedTexts = ({ part, anchor, sections, reply }: Delivery): readonly string[] =>
  (sections ?? [{ markdown: part.markdown, anchor }])
    .map((section) => renderSection(section, reply))
    .reduce(joined, []);

/** For a text that failed to render. Its anchor is in text form; a digest already has its anchors in the text. */
const plainTexts = ({ part, anchor }: Delivery): readonly string[] => {
  const texts = cutRendered(escapeText(part.markdown.trim()) || "…", MAX_MESSAGE);
  return anchor === null ? texts : joined(cutRendered(escapeText(anchor.text), MAX_MESSAGE), texts);
};

/** Message texts of a section; the first one begins with the anchor, so that a notification shows it (O9). */
const renderSection = (
  { markdown, anchor }: Pick<Section, "markdown" | "anchor">,
  { createdAt }: Delivery["reply"],
): readonly string[] => {
  const texts = fitting(markdown, MAX_MESSAGE - MAX_ANCHOR);
  const [first = "", ...rest] = texts;
  const preamble = anchor ? [renderAnchor(anchor, createdAt)] : [];
  return [[...preamble, first].filter((each) => each !== "").join("\n"), ...rest];
};

/** Appends the next section of a digest to the last message if it fits. */
const joined = (before: readonly string[], next: readonly string[]): readonly string[] => {
  const [first = "", ...rest] = next;
  const together = `${before.at(-1) ?? ""}\n\n${first}`;
  const hasRoom = before.length > 0 && together.length <= MAX_MESSAGE;
  return hasRoom ? [...before.slice(0, -1), together, ...rest] : [...before, ...next];
};

/** Discord deduplicates by nonce for a few minutes; at most 25 characters. */
export const nonceOf = (deliveryId: string, index: number): string =>
  createHash("sha256").update(`${deliveryId}#${index}`).digest("base64url").slice(0, 25);

const fitting = (markdown: string, room: number, partLength = MAX_PART_LENGTH): readonly string[] => {
  // If nothing is visible, as in a lone definition, the source text is shown.
  const text = renderMarkdown(markdown) || escapeText(markdown.trim());
  if (text.length <= room) return [text];
  // Halves the source until its rendering fits. Short text that still does not fit is cut after rendering.
  const half = Math.floor(Math.min(partLength, markdown.length) / 2);
  if (half < 200) return cutRendered(text, room);
  return splitMarkdown(markdown, half).flatMap((each) => fitting(each, room, half));
};

/** A cut creates a line start, at which "-#" would begin small print. */
const cutRendered = (text: string, room: number): string[] =>
  splitMarkdown(text, room - 1).map((piece) => piece.replace(/^(\s*)-#/, "$1\\-#"));

const MAX_SUMMARY_UNITS = 120;
const HALF_A_DAY_MS = 12 * 3_600_000;

/** Maximum length of a rendered anchor. */
const MAX_ANCHOR = 430;

/**
 * One line of small print above the text, with live times in the reader's zone (O10). If the work began long
 * before, the line shows the date too, because the time alone would mislead.
 */
export const renderAnchor = (anchor: Anchor, sentAt: string): string => {
  const seconds = Math.floor(Date.parse(anchor.startedAt) / 1_000);
  const longAgo = Date.parse(sentAt) - Date.parse(anchor.startedAt) > HALF_A_DAY_MS;
  const clockTime = `<t:${seconds}:${longAgo ? "f" : "t"}>`;
  const ago = `<t:${seconds}:R>`;
  const summary = escapeText(shortened(anchor.summary));
  const { started, from, scheduled, jump } = textsFor(anchor.language).anchors;
  if (anchor.channel === "scheduled") return `-# ${scheduled} · ${summary} · ${ago}${askedLine(anchor)}`;
  if (anchor.channel === "a2a-inbound") return `-# ${summary} · ${ago}`;
  const channel = escapeText(channelLabel(anchor.channel));
  const parts = [
    `↳ Re: "${summary}"`,
    `${started} ${clockTime} ${from} ${channel}`,
    ago,
    ...jumpLink(anchor.link, jump),
  ];
  return `-# ${parts.join(" · ")}`;
};

/** A reminder says where and when it was asked for. */
const askedLine = ({ asked, language }: Anchor): string => {
  if (asked === undefined) return "";
  const seconds = Math.floor(Date.parse(asked.at) / 1_000);
  const { askedFor, from } = textsFor(language).anchors;
  return `\n-# ${askedFor} <t:${seconds}:f> ${from} ${escapeText(channelLabel(asked.channel))} · <t:${seconds}:R>`;
};

const jumpLink = (link: string | undefined, label: string): string[] =>
  link !== undefined && /^https?:\/\//.test(link) && link.length <= 150 ? [`[${label}](${escapeUrl(link)})`] : [];

const shortened = (summary: string): string => cutToUnits(summary.replace(/\s+/g, " ").trim(), MAX_SUMMARY_UNITS);

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
