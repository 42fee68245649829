import type { Anchor } from "../../core/contract/messages/agent-reply.ts";
import type { Delivery, Section } from "../contract/channel-adapter.ts";
import { cutToUnits } from "../contract/markdown/cut-text.ts";
import { escapeText, linkTo, plainText, renderHtml, visibleLength } from "./html.ts";

/** In UTF-16 units, after Telegram has read the mark-up. https://core.telegram.org/bots/api#sendmessage */
const MAX_MESSAGE = 4_096;
const MAX_CAPTION = 1_024;

/** Maximum length of an anchor with the line break after it. */
const MAX_ANCHOR = 400;

/** A part that is sent as it was written always fits into one message, with its anchor. */
export const MAX_PART_LENGTH = MAX_MESSAGE - MAX_ANCHOR;

export interface RenderedText {
  readonly html: string;
  /** The same without mark-up, if Telegram refuses the mark-up. */
  readonly plain: string;
}

/**
 * Renders a part as one message: two messages could not be sent as one, and Telegram does not deduplicate. If the
 * mark-up makes the text too long, as wide tables do, people see the text as it was written.
 */
export const renderText = (delivery: Delivery): RenderedText => {
  const { part, anchor, sections, plain } = delivery;
  // The text of a digest already has its anchors.
  const source = sections === undefined ? withPreamble(anchor?.text, part.markdown) : part.markdown;
  const asWritten = { html: escapeText(shown(source)), plain: plainText(shown(source)) };
  if (plain) return asWritten;
  const shownSections = sections ?? [{ markdown: part.markdown, anchor }];
  const rendered = shownSections.map((section) => renderSection(section, renderHtml)).join("\n\n");
  if (visibleLength(rendered) <= MAX_MESSAGE) return { ...asWritten, html: rendered };
  const unformatted = shownSections.map((section) => renderSection(section, escapeText)).join("\n\n");
  return visibleLength(unformatted) <= MAX_MESSAGE ? { ...asWritten, html: unformatted } : asWritten;
};

/** Whether the text can be the caption of a file. */
export const fitsCaption = ({ html, plain }: RenderedText): boolean =>
  visibleLength(html) <= MAX_CAPTION && plain.length <= MAX_CAPTION;

const renderSection = (
  { markdown, anchor }: Pick<Section, "markdown" | "anchor">,
  render: (markdown: string) => string,
): string => {
  // If nothing is visible, as in a lone definition, the source text is shown.
  const text = render(markdown).trim() || escapeText(shown(markdown));
  return anchor === null ? text : `${renderAnchor(anchor)}\n${text}`;
};

const shown = (source: string): string => source.trim() || "…";

const withPreamble = (anchor: string | undefined, text: string): string =>
  anchor === undefined ? text : `${anchor}\n\n${text}`;

/**
 * A block quote before the text, which Telegram draws in smaller type (O9, O10). Telegram's clients format no times, so
 * the anchor has them as text, in the reader's zone if it is known.
 */
export const renderAnchor = (anchor: Anchor): string => {
  const jump = anchor.link !== undefined && isLinkable(anchor.link) ? ` · ${linkTo(anchor.link, "jump")}` : "";
  return `<blockquote>${escapeText(shortened(anchor))}${jump}</blockquote>`;
};

/** The length of an anchor in a digest, with its line break. */
export const anchorLength = (anchor: Anchor): number => visibleLength(renderAnchor(anchor)) + 1;

const isLinkable = (link: string): boolean => /^https?:\/\//.test(link) && link.length <= 500;

const MAX_TEXT_UNITS = 360;

/** Only the summary can be long: 80 graphemes may have thousands of units. */
const shortened = ({ text, summary }: Anchor): string => {
  if (text.length <= MAX_TEXT_UNITS) return text;
  const room = Math.max(40, MAX_TEXT_UNITS - (text.length - summary.length));
  return cutToUnits(
    text.replace(summary, () => cutToUnits(summary, room)),
    MAX_TEXT_UNITS,
  );
};
