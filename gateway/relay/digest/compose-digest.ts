import type { Capabilities } from "../../../adapters/contract/channel-adapter.ts";
import { inertAnchors } from "../../../adapters/contract/inert-anchors.ts";
import { splitMarkdown } from "../../../adapters/contract/split-markdown.ts";
import type { Anchor } from "../../../core/contract/anchor.ts";
import type { DigestPart } from "../../../core/delivery/held-record.ts";

export interface DigestItem {
  readonly id: string;
  readonly markdown: string;
  readonly anchor: Anchor | null;
}

type Limits = Pick<Capabilities, "maxPartLength" | "measure">;

/**
 * Several answers as one text: each whole, in order, and with its own anchor, which no other text can pass for (O16).
 * It is one part if it can be; otherwise what fits into a part by itself is not cut.
 */
export const composeDigest = (items: readonly DigestItem[], limits: Limits): DigestPart[] => {
  const { maxPartLength = Number.POSITIVE_INFINITY, measure = ({ length }) => length } = limits;
  const head = `**${items.length} messages have waited for you.**\n\n`;
  const pieces = items.flatMap((item, index) => piecesOf(item, `${index === 0 ? head : ""}**${index + 1}.**`, limits));
  const parts: DigestPart[] = [];
  for (const { id, text } of pieces) {
    const open = parts.at(-1);
    const joined = `${open?.markdown ?? ""}\n\n${text}`;
    if (open && measure(joined) <= maxPartLength) {
      parts[parts.length - 1] = { markdown: joined, itemIds: [...new Set([...open.itemIds, id])] };
    } else parts.push({ markdown: text, itemIds: [id] });
  }
  return parts;
};

/** Each is as long as a part at the most. No cut may make an anchor of the text behind it. */
const piecesOf = ({ id, markdown, anchor }: DigestItem, title: string, { maxPartLength, measure }: Limits) => {
  const split = (text: string) => splitMarkdown(text, maxPartLength, measure);
  const texts = split(`${title}\n\n${markdown.trim()}`).map(inertAnchors);
  return [...texts, ...(anchor ? split(plain(anchor.text)) : [])].map((text) => ({ id, text }));
};

/** Its words are people's: they are no mark-up. */
const plain = (text: string): string => text.replace(/[\\`*_~[\]<>|#]/g, "\\$&");
