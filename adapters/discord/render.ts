import { createHash } from "node:crypto";
import type { Delivery, Section } from "../contract/channel-adapter.ts";
import { offeredActions } from "../contract/channel-adapter.ts";
import { splitMarkdown } from "../contract/markdown/split-markdown.ts";
import { escapeText } from "./escape-text.ts";
import { renderActions } from "./render-actions.ts";
import { LONGEST_ANCHOR, renderAnchor } from "./render-anchor.ts";
import { renderMarkdown } from "./render-markdown.ts";

/** https://docs.discord.com/developers/resources/message#create-message */
const LONGEST_MESSAGE = 2_000;

/** Room for the anchor, and for the signs that keep text plain. */
export const MAX_PART_LENGTH = 1_400;

export interface Post {
  readonly content: string;
  readonly components: readonly unknown[];
  readonly allowed_mentions: { readonly parse: readonly never[] };
}

/**
 * A part as one message, or as several if it holds so much mark-up that it does not fit into one. What is in a part
 * is drawn the same each time, so a repeat has the same messages.
 */
export const renderParts = (delivery: Delivery): readonly Post[] => {
  const texts = delivery.plain ? plainTexts(delivery) : drawnTexts(delivery);
  return texts.map((content, index) => ({
    content,
    components: index === texts.length - 1 ? renderActions(offeredActions(delivery)) : [],
    allowed_mentions: { parse: [] },
  }));
};

const drawnTexts = ({ part, anchor, sections, reply }: Delivery): readonly string[] =>
  (sections ?? [{ markdown: part.markdown, anchor }]).map((section) => drawSection(section, reply)).reduce(joined, []);

/** For a text that cannot be drawn. Its anchor is in words; those of a digest are in its text already. */
const plainTexts = ({ part, anchor }: Delivery): readonly string[] => {
  const texts = cutAnyhow(escapeText(part.markdown.trim()) || "…", LONGEST_MESSAGE);
  return anchor === null ? texts : joined(texts, cutAnyhow(escapeText(anchor.text), LONGEST_MESSAGE));
};

/** As texts of messages; the anchor is at the end of the last. */
const drawSection = (
  { markdown, anchor }: Pick<Section, "markdown" | "anchor">,
  { createdAt }: Delivery["reply"],
): readonly string[] => {
  const texts = fitting(markdown, LONGEST_MESSAGE - LONGEST_ANCHOR);
  const last = [texts.at(-1) ?? "", ...(anchor ? [renderAnchor(anchor, createdAt)] : [])];
  return [...texts.slice(0, -1), last.filter((each) => each !== "").join("\n")];
};

/** The next section of a digest begins in the message in which the last one ended, if there is room. */
const joined = (before: readonly string[], next: readonly string[]): readonly string[] => {
  const [first = "", ...rest] = next;
  const together = `${before.at(-1) ?? ""}\n\n${first}`;
  const hasRoom = before.length > 0 && together.length <= LONGEST_MESSAGE;
  return hasRoom ? [...before.slice(0, -1), together, ...rest] : [...before, ...next];
};

/** Recognised by Discord for a few minutes; at most 25 characters. */
export const nonceOf = (deliveryId: string, index: number): string =>
  createHash("sha256").update(`${deliveryId}#${index}`).digest("base64url").slice(0, 25);

const fitting = (markdown: string, room: number, partLength = MAX_PART_LENGTH): readonly string[] => {
  // Text of which nothing is left, such as a mere definition, is shown as it was written.
  const text = renderMarkdown(markdown) || escapeText(markdown.trim());
  if (text.length <= room) return [text];
  // Halves, until what is drawn fits. Text that only gets longer by being drawn is cut as it is.
  const half = Math.floor(Math.min(partLength, markdown.length) / 2);
  if (half < 200) return cutAnyhow(text, room);
  return splitMarkdown(markdown, half).flatMap((each) => fitting(each, room, half));
};

/** A cut makes a new start of a line, where small print would begin. */
const cutAnyhow = (text: string, room: number): string[] =>
  splitMarkdown(text, room - 1).map((piece) => piece.replace(/^(\s*)-#/, "$1\\-#"));
