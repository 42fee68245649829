import type { Delivery } from "../contract/channel-adapter.ts";
import { anchorCard, plainAnchor } from "./anchor-card.ts";
import type { OutgoingActivity } from "./connector.ts";
import { escapeXml } from "./inert.ts";
import { offeredActions } from "./offered-actions.ts";
import { renderMarkdown } from "./render-markdown.ts";

/** Teams counts two bytes a character. It takes 100 kB, but older ways through it only 28: these are for all of them. */
const WANTED_BYTES = 25 * 1024;
const BYTES_PER_UNIT = 2;

/** Text with its mark-up then stays below what is wanted, and escaped to the last character below what is taken. */
export const MAX_PART_LENGTH = 8_000;

/** A part of a reply as Teams takes it: the words as text, the anchor and buttons in a card of their own. */
export const renderDelivery = (delivery: Delivery): OutgoingActivity => {
  const { part, anchor } = delivery;
  const card = anchorCard(anchor, offeredActions(delivery));
  return {
    type: "message",
    textFormat: "xml",
    text: drawnText(part.markdown),
    // what notifications show
    ...(anchor && { summary: `${firstWords(part.markdown)}\n${plainAnchor(anchor)}` }),
    ...(card && { attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content: card }] }),
  };
};

/** As it is meant; if the mark-up makes it too large, as it was written. */
const drawnText = (markdown: string): string => {
  try {
    const drawn = renderMarkdown(markdown);
    if (drawn.length * BYTES_PER_UNIT <= WANTED_BYTES) return drawn;
  } catch (error) {
    // thousands of nested quotes are too deep for the parser's stack
    if (!(error instanceof RangeError)) throw error;
  }
  return escapeXml(markdown).replaceAll("\n", "<br/>");
};

const firstWords = (markdown: string): string => [...markdown.replace(/\s+/g, " ").trim()].slice(0, 140).join("");
