import type { ReplyAction } from "../../core/contract/messages/agent-reply.ts";
import type { Delivery } from "../contract/channel-adapter.ts";
import { offeredActions } from "../contract/render-delivery.ts";
import type { OutgoingActivity } from "./api/connector.ts";
import { asWritten, bytesOf, MAX_BYTES, wellFormed, withoutTemplates } from "./render/escape.ts";
import type { ShownAnchor } from "./render/footer-card.ts";
import { anchorCard, plainAnchor } from "./render/footer-card.ts";
import { renderMarkdown } from "./render/markdown.ts";

/**
 * Renders a part of a reply: the text as XML, the anchor and buttons in a separate card. If the rendered markdown is too
 * large, the message holds the escaped source text instead.
 */
export const renderDelivery = (delivery: Delivery): OutgoingActivity => {
  const markdown = wordsOf(delivery);
  const written = asWritten(markdown);
  const drawable = offeredActions(delivery).filter(({ value = "" }) => value.length <= MAX_VALUE);
  const actions = fitting(drawable.slice(0, MAX_ACTIONS), (some) => messageOf(delivery, written, some));
  if (delivery.plain) return plainMessage(delivery, actions);
  const drawn = messageOf(delivery, renderMarkdown(markdown), actions);
  return fits(drawn) ? drawn : messageOf(delivery, written, actions);
};

/** For a text that failed to render. Its anchor is in text form; a digest already has its anchors in the text. */
const plainMessage = (delivery: Delivery, actions: readonly ReplyAction[]): OutgoingActivity => {
  const { part, anchor } = delivery;
  const text = anchor === null ? part.markdown : `${part.markdown.trimEnd()}\n\n${anchor.text}`;
  const { sections: _, ...whole } = delivery;
  return messageOf({ ...whole, anchor: null }, asWritten(text), actions);
};

/** The text without the anchors, which a digest shows in its card. */
const wordsOf = ({ part, sections }: Delivery): string =>
  sections === undefined ? part.markdown : sections.map(({ markdown }) => markdown).join("\n\n");

const messageOf = (delivery: Delivery, text: string, actions: readonly ReplyAction[]): OutgoingActivity => {
  const anchors = anchorsOf(delivery);
  const card = anchorCard(anchors, actions);
  return {
    type: "message",
    textFormat: "xml",
    text,
    // Notifications show the summary.
    ...(anchors.length > 0 && { summary: [firstWords(wordsOf(delivery)), ...anchors.map(plainAnchor)].join("\n") }),
    ...(card && { attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content: card }] }),
  };
};

const anchorsOf = ({ anchor, sections }: Delivery): readonly ShownAnchor[] =>
  (sections ?? [{ anchor }]).flatMap((section) =>
    section.anchor === null ? [] : { ...section, anchor: section.anchor },
  );

const fits = (activity: OutgoingActivity): boolean => bytesOf(JSON.stringify(activity)) <= MAX_BYTES;

/** The first actions, as many as fit. */
const fitting = (
  actions: readonly ReplyAction[],
  message: (actions: readonly ReplyAction[]) => OutgoingActivity,
): readonly ReplyAction[] => {
  let count = actions.length;
  while (count > 0 && !fits(message(actions.slice(0, count)))) count--;
  return actions.slice(0, count);
};

const MAX_ACTIONS = 24;
/** No value of our buttons is longer. */
const MAX_VALUE = 2_000;

const firstWords = (markdown: string): string =>
  withoutTemplates(wellFormed([...markdown.slice(0, 2_000).replace(/\s+/g, " ").trim()].slice(0, 140).join("")));
