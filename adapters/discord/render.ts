import { createHash } from "node:crypto";
import type { Delivery, Section } from "../contract/channel-adapter.ts";
import { splitMarkdown } from "../contract/markdown/split-markdown.ts";
import { offeredActions } from "../contract/render-delivery.ts";
import { MAX_ANCHOR, renderActions, renderAnchor } from "./render/footer.ts";
import { escapeText, renderMarkdown } from "./render/markdown.ts";

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
  const texts = delivery.plain ? plainTexts(delivery) : drawnTexts(delivery);
  return texts.map((content, index) => ({
    content,
    components: index === texts.length - 1 ? renderActions(offeredActions(delivery)) : [],
    allowed_mentions: { parse: [] },
  }));
};

const drawnTexts = ({ part, anchor, sections, reply }: Delivery): readonly string[] =>
  (sections ?? [{ markdown: part.markdown, anchor }]).map((section) => drawSection(section, reply)).reduce(joined, []);

/** For a text that failed to render. Its anchor is in text form; a digest already has its anchors in the text. */
const plainTexts = ({ part, anchor }: Delivery): readonly string[] => {
  const texts = cutAnyhow(escapeText(part.markdown.trim()) || "…", MAX_MESSAGE);
  return anchor === null ? texts : joined(texts, cutAnyhow(escapeText(anchor.text), MAX_MESSAGE));
};

/** Message texts of a section; the last one ends with the anchor. */
const drawSection = (
  { markdown, anchor }: Pick<Section, "markdown" | "anchor">,
  { createdAt }: Delivery["reply"],
): readonly string[] => {
  const texts = fitting(markdown, MAX_MESSAGE - MAX_ANCHOR);
  const last = [texts.at(-1) ?? "", ...(anchor ? [renderAnchor(anchor, createdAt)] : [])];
  return [...texts.slice(0, -1), last.filter((each) => each !== "").join("\n")];
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
  if (half < 200) return cutAnyhow(text, room);
  return splitMarkdown(markdown, half).flatMap((each) => fitting(each, room, half));
};

/** A cut creates a line start, at which "-#" would begin small print. */
const cutAnyhow = (text: string, room: number): string[] =>
  splitMarkdown(text, room - 1).map((piece) => piece.replace(/^(\s*)-#/, "$1\\-#"));
