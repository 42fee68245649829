import type { ReplyAction } from "../../core/contract/agent-reply.ts";
import type { Delivery } from "../contract/channel-adapter.ts";
import { offeredActions } from "../contract/offered-actions.ts";
import type { ShownAnchor } from "./anchor-card.ts";
import { anchorCard, plainAnchor } from "./anchor-card.ts";
import type { OutgoingActivity } from "./connector.ts";
import { wellFormed, withoutTemplates } from "./inert.ts";
import { asWritten, bytesOf, MOST_BYTES } from "./message-size.ts";
import { renderMarkdown } from "./render-markdown.ts";

/**
 * A part of a reply as Teams takes it: the words as text, the anchor and buttons in a card of their own. The words are
 * drawn as they are meant; if that would be too deep to parse in good time, or too large, they stay as written.
 */
export const renderDelivery = (delivery: Delivery): OutgoingActivity => {
  const markdown = wordsOf(delivery);
  const written = asWritten(markdown);
  const drawable = offeredActions(delivery).filter(({ value = "" }) => value.length <= LONGEST_VALUE);
  const actions = fitting(drawable.slice(0, MOST_ACTIONS), (some) => messageOf(delivery, written, some));
  const drawn = TOO_DEEP.test(markdown) ? undefined : messageOf(delivery, renderMarkdown(markdown), actions);
  return drawn !== undefined && fits(drawn) ? drawn : messageOf(delivery, written, actions);
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

/** A line that begins with this many quotes and lists in each other: no person's, and slow to parse. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){12}/m;

const firstWords = (markdown: string): string =>
  withoutTemplates(wellFormed([...markdown.slice(0, 2_000).replace(/\s+/g, " ").trim()].slice(0, 140).join("")));
