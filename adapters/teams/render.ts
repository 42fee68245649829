import type { ReplyAction } from "../../core/contract/agent-reply.ts";
import type { Delivery } from "../contract/channel-adapter.ts";
import { offeredActions } from "../contract/channel-adapter.ts";
import type { ShownAnchor } from "./anchor-card.ts";
import { anchorCard, plainAnchor } from "./anchor-card.ts";
import type { OutgoingActivity } from "./connector.ts";
import { wellFormed, withoutTemplates } from "./inert.ts";
import { asWritten, bytesOf, MOST_BYTES } from "./message-size.ts";
import { renderMarkdown } from "./render-markdown.ts";

/**
 * A part of a reply as Teams takes it: the words as text, the anchor and buttons in a card of their own. The words are
 * drawn as they are meant; if that would be too large, they stay as written.
 */
export const renderDelivery = (delivery: Delivery): OutgoingActivity => {
  const markdown = wordsOf(delivery);
  const written = asWritten(markdown);
  const drawable = offeredActions(delivery).filter(({ value = "" }) => value.length <= LONGEST_VALUE);
  const actions = fitting(drawable.slice(0, MOST_ACTIONS), (some) => messageOf(delivery, written, some));
  if (delivery.plain) return plainMessage(delivery, actions);
  const drawn = messageOf(delivery, renderMarkdown(markdown), actions);
  return fits(drawn) ? drawn : messageOf(delivery, written, actions);
};

/** For a text that cannot be drawn. Its anchor is in words; those of a digest are in its text already. */
const plainMessage = (delivery: Delivery, actions: readonly ReplyAction[]): OutgoingActivity => {
  const { part, anchor } = delivery;
  const text = anchor === null ? part.markdown : `${part.markdown.trimEnd()}\n\n${anchor.text}`;
  const { sections: _, ...whole } = delivery;
  return messageOf({ ...whole, anchor: null }, asWritten(text), actions);
};

/** The anchors of a digest are in its card. */
const wordsOf = ({ part, sections }: Delivery): string =>
  sections === undefined ? part.markdown : sections.map(({ markdown }) => markdown).join("\n\n");

const messageOf = (delivery: Delivery, text: string, actions: readonly ReplyAction[]): OutgoingActivity => {
  const anchors = anchorsOf(delivery);
  const card = anchorCard(anchors, actions);
  return {
    type: "message",
    textFormat: "xml",
    text,
    // what notifications show
    ...(anchors.length > 0 && { summary: [firstWords(wordsOf(delivery)), ...anchors.map(plainAnchor)].join("\n") }),
    ...(card && { attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content: card }] }),
  };
};

const anchorsOf = ({ anchor, sections }: Delivery): readonly ShownAnchor[] =>
  (sections ?? [{ anchor }]).flatMap((section) =>
    section.anchor === null ? [] : { ...section, anchor: section.anchor },
  );

const fits = (activity: OutgoingActivity): boolean => bytesOf(JSON.stringify(activity)) <= MOST_BYTES;

/** As many as there is room for. */
const fitting = (
  actions: readonly ReplyAction[],
  message: (actions: readonly ReplyAction[]) => OutgoingActivity,
): readonly ReplyAction[] => {
  let count = actions.length;
  while (count > 0 && !fits(message(actions.slice(0, count)))) count--;
  return actions.slice(0, count);
};

const MOST_ACTIONS = 24;
/** No value of ours is longer. */
const LONGEST_VALUE = 2_000;

const firstWords = (markdown: string): string =>
  withoutTemplates(wellFormed([...markdown.slice(0, 2_000).replace(/\s+/g, " ").trim()].slice(0, 140).join("")));
