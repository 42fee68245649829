import type { Capabilities, ChannelAdapter, Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { escapeAnchors } from "../../../adapters/contract/markdown/escape-anchors.ts";
import { splitMarkdown } from "../../../adapters/contract/markdown/split-markdown.ts";
import type { Anchor } from "../../../core/contract/messages/agent-reply.ts";
import { type Conversation, conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { ReplyRequest } from "../../../core/contract/messages/delivery-request.ts";
import { type Texts, textsFor } from "../../../core/contract/texts/texts.ts";
import type { Digest, DigestPart, DigestSection } from "../../../core/delivery/undelivered/index.ts";
import type { RelayContext } from "../context.ts";
import { partsOf, spelledText } from "../sending/delivery-parts.ts";
import { linkedFiles } from "../sending/reply-files.ts";

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
  const { digests } = textsFor(items.find(({ anchor }) => anchor !== null)?.anchor?.language);
  const head = { number: 1, markdown: digests.waited(items.length), anchor: null };
  const parts: DigestPart[] = [];
  for (const [index, item] of items.entries()) {
    const own = sectionsOf(item, index + 1, limits);
    for (const section of index === 0 ? [head, ...own] : own) {
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
    .flatMap(({ markdown, anchor }) => (anchor === null ? [markdown] : [plain(anchor.text), markdown]))
    .join("\n\n");

/** Each section fits into one part. `escapeAnchors` runs after the split, because a cut could turn text into an anchor. */
const sectionsOf = (
  { markdown, anchor }: DigestItem,
  number: number,
  { maxPartLength, measure, anchorLength }: Limits,
): DigestSection[] => {
  const split = (text: string) => splitMarkdown(text, maxPartLength, measure);
  const texts = split(`**${number}.**\n\n${markdown.trim()}`).map(escapeAnchors);
  const isRendered = anchor !== null && anchorLength !== undefined;
  const asText = anchor === null || isRendered ? [] : split(plain(anchor.text));
  const [first = "", ...rest] = texts;
  // The anchor stays in the same section as the beginning of its text wherever both fit.
  const [together = "", ...more] = split([...asText, first].join("\n\n"));
  const shown = asText.length > 0 && more.length > 0 ? [...asText, ...texts] : [together, ...rest];
  return shown.map((text, index) => ({ number, markdown: text, anchor: isRendered && index === 0 ? anchor : null }));
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

/** Fits into one value of the store in any encoding. The remaining items wait for the next digest. */
const MAX_CHARS = 100_000;
const MAX_ITEMS = 50;
/** Per part: platforms show this many in one message. */
const MAX_BUTTONS = 10;

/** The oldest requests that fit into one digest, at least one. */
export const fitting = (requests: readonly ReplyRequest[]): readonly ReplyRequest[] => {
  let chars = 0;
  const end = requests.findIndex(({ reply }, index) => {
    chars += reply.markdown.length;
    return index > 0 && (chars > MAX_CHARS || index >= MAX_ITEMS);
  });
  return end < 0 ? requests : requests.slice(0, end);
};

/** Empty for a single request, which is sent as itself. */
export const digestParts = async (
  context: RelayContext,
  { capabilities }: ChannelAdapter,
  requests: readonly ReplyRequest[],
): Promise<DigestPart[]> => {
  if (requests.length < 2) return [];
  const items = requests.map(async ({ id, reply, target }) => ({
    id,
    markdown: [
      spelledText(reply, target, capabilities),
      (await linkedFiles(context, reply, target, reply.files ?? [])).markdown,
    ].join("\n\n"),
    anchor: await context.anchorIn(target, reply),
  }));
  return composeDigest(await Promise.all(items), capabilities);
};

/** The parts of a digest under ids of its own, so that every attempt sends the same parts. */
export const partsOfDigest = async (
  context: RelayContext,
  adapter: ChannelAdapter,
  target: Conversation,
  { number, itemIds, parts }: Digest,
  requests: readonly [ReplyRequest, ...ReplyRequest[]],
): Promise<Delivery[]> => {
  const [alone] = requests;
  const id = `digest/${conversationKey(target)}/${number}`;
  if (parts.length === 0) return (await partsOf(context, adapter, alone)).map((part) => under(id, part));
  const { tenant, agent, createdAt, traceId } = alone.reply;
  const reply = {
    id,
    tenant,
    agent,
    sessionId: null,
    kind: "notice" as const,
    markdown: parts.map(({ sections }) => digestText(sections)).join("\n\n"),
    origin: null,
    audience: { conversation: target, personId: null },
    createdAt,
    traceId,
  };
  const anchors = parts.flatMap(({ sections }) => sections.flatMap(({ anchor }) => anchor ?? []));
  const texts = textsFor(anchors[0]?.language);
  const endsIn = (index: number) => (request: ReplyRequest) =>
    parts.findLastIndex((part) => part.itemIds.includes(request.id)) === index;
  const whyIn = (index: number) =>
    requests
      .filter(endsIn(index))
      .slice(0, MAX_BUTTONS)
      .map((request) => whyAction(request, itemIds.indexOf(request.id) + 1, texts));
  return parts.map(({ sections }, index) => ({
    id: `${id}/${index}`,
    reply: { ...reply, actions: whyIn(index) },
    target,
    part: { index, count: parts.length, markdown: digestText(sections) },
    anchor: null,
    sections,
    mayRepeat: false,
  }));
};

const whyAction = ({ reply }: ReplyRequest, number: number, { digests }: Texts) => ({
  name: "why",
  label: digests.whyNumber(number),
  value: reply.id,
});

const under = (id: string, delivery: Delivery): Delivery => ({
  ...delivery,
  id: `${id}/${delivery.part.index}`,
  reply: { ...delivery.reply, id },
});
