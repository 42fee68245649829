import type { Delivery } from "../contract/channel-adapter.ts";
import { anchorCard, plainAnchor } from "./anchor-card.ts";
import type { OutgoingActivity } from "./connector.ts";
import { escapeXml, withoutTemplates } from "./inert.ts";
import { offeredActions } from "./offered-actions.ts";
import { renderMarkdown } from "./render-markdown.ts";

/** Teams counts two bytes a character. It takes 100 kB, but older ways through it only 28: these are for all of them. */
const WANTED_BYTES = 25 * 1024;
const BYTES_PER_UNIT = 2;

/** Text with its mark-up then stays below what is wanted, and escaped to the last character below what is taken. */
export const MAX_PART_LENGTH = 6_000;

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

/** As it is meant; if that would be too deep to parse in good time, or too large, as it was written. */
const drawnText = (markdown: string): string => {
  const drawn = TOO_DEEP.test(markdown) ? undefined : renderMarkdown(markdown);
  if (drawn !== undefined && drawn.length * BYTES_PER_UNIT <= WANTED_BYTES) return drawn;
  return escapeXml(markdown).replaceAll("\n", "<br/>");
};

/** A line that begins with this many quotes and lists in each other: no person's, and slow to parse. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){12}/m;

const firstWords = (markdown: string): string =>
  withoutTemplates([...markdown.replace(/\s+/g, " ").trim()].slice(0, 140).join(""));
