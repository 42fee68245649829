import type { Capabilities } from "../../../adapters/contract/channel-adapter.ts";
import { escapeAnchors } from "../../../adapters/contract/markdown/escape-anchors.ts";
import { splitMarkdown } from "../../../adapters/contract/markdown/split-markdown.ts";
import type { Anchor } from "../../../core/contract/messages/agent-reply.ts";
import type { DigestPart, DigestSection } from "../../../core/delivery/held/index.ts";

interface DigestItem {
  readonly id: string;
  readonly markdown: string;
  readonly anchor: Anchor | null;
}

type Limits = Pick<Capabilities, "maxPartLength" | "measure" | "anchorLength">;

/** Platforms show this many in one message, with room for the texts between them. */
const MAX_ANCHORS = 10;

/**
 * Composes several replies into one digest: each complete, in order, and with its own anchor, which no other text can
 * pass for (O16). The digest is one part if it fits; otherwise a section that fits into a part is not cut.
 */
export const composeDigest = (items: readonly DigestItem[], limits: Limits): DigestPart[] => {
  const head = `**${items.length} messages have waited for you.**\n\n`;
  const parts: DigestPart[] = [];
  for (const [index, item] of items.entries()) {
    for (const section of sectionsOf(item, index + 1, index === 0 ? head : "", limits)) {
      const open = parts.at(-1);
      const sections = [...(open?.sections ?? []), section];
      if (open === undefined || !fits(sections, limits)) parts.push({ sections: [section], itemIds: [item.id] });
      else parts[parts.length - 1] = { sections, itemIds: [...new Set([...open.itemIds, item.id])] };
    }
  }
  return parts;
};

/** The sections as text, anchors included. */
export const digestText = (sections: readonly DigestSection[]): string =>
  sections
    .flatMap(({ markdown, anchor }) => (anchor === null ? [markdown] : [markdown, plain(anchor.text)]))
    .join("\n\n");

/** Each section fits into one part. `escapeAnchors` runs after the split, because a cut could turn text into an anchor. */
const sectionsOf = (
  { markdown, anchor }: DigestItem,
  number: number,
  head: string,
  { maxPartLength, measure, anchorLength }: Limits,
): DigestSection[] => {
  const split = (text: string) => splitMarkdown(text, maxPartLength, measure);
  const texts = split(`${head}**${number}.**\n\n${markdown.trim()}`).map(escapeAnchors);
  const isDrawn = anchor !== null && anchorLength !== undefined;
  const asText = anchor === null || isDrawn ? [] : split(plain(anchor.text));
  return [...texts, ...asText].map((text, index) => ({
    number,
    markdown: text,
    anchor: isDrawn && index === texts.length - 1 ? anchor : null,
  }));
};

const fits = (sections: readonly DigestSection[], limits: Limits): boolean => {
  const { maxPartLength = Number.POSITIVE_INFINITY, measure = ({ length }) => length, anchorLength } = limits;
  const text = measure(sections.map(({ markdown }) => markdown).join("\n\n"));
  const anchors = sections.flatMap(({ anchor }) => anchor ?? []);
  if (anchorLength === undefined || anchors.length < 2) return text <= maxPartLength;
  const length = anchors.reduce((sum, anchor) => sum + anchorLength(anchor), text);
  return anchors.length <= MAX_ANCHORS && length <= maxPartLength;
};

/** Escapes mark-up: the anchor text quotes people. */
const plain = (text: string): string => text.replace(/[\\`*_~[\]<>|#]/g, "\\$&");
