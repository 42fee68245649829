import type { Anchor, ReplyAction } from "../../core/contract/messages/agent-reply.ts";
import { channelLabel } from "../../core/contract/messages/channel-label.ts";
import { textsFor } from "../../core/contract/texts/texts.ts";
import type { Delivery } from "../contract/channel-adapter.ts";
import type { Measure } from "../contract/markdown/split-markdown.ts";
import { offeredActions } from "../contract/render-delivery.ts";
import type { OutgoingActivity } from "./api/connector.ts";
import { escapeXml, renderMarkdown, wellFormed, withoutTemplates } from "./markdown.ts";

/** Teams accepts 100 kB, but some older endpoints only 28: this fits all of them, less the overhead of the call. */
const MAX_BYTES = 27 * 1024;

/** Maximum text length of a part in units of `sourceSize`. The rest is room for mark-up, the anchor and buttons. */
export const MAX_PART_LENGTH = 12 * 1024;

/** Teams counts two bytes per UTF-16 unit, but some characters take three in transit. Returns the larger count. */
export const bytesOf = (json: string): number => Math.max(2 * json.length, Buffer.byteLength(json));

/** The escaped source text, which is sent if the rendered markdown would be too large. */
const escapedSource = (markdown: string): string => escapeXml(markdown).replaceAll("\n", "<br/>");

const QUOTES = bytesOf('""');

/** The size of a text in a message that holds its escaped source. */
export const sourceSize: Measure = (markdown) => bytesOf(JSON.stringify(escapedSource(markdown))) - QUOTES;

/**
 * Renders a part of a reply: the text as XML, the anchor and buttons in a separate card. If the rendered markdown is too
 * large, the message holds the escaped source text instead.
 */
export const renderDelivery = (delivery: Delivery): OutgoingActivity => {
  const source = textOf(delivery, escapedSource);
  const usable = offeredActions(delivery).filter(({ value = "" }) => value.length <= MAX_VALUE);
  const actions = fitting(usable.slice(0, MAX_ACTIONS), (some) => messageOf(delivery, source, some));
  if (delivery.plain) return plainMessage(delivery, actions);
  const rendered = messageOf(delivery, textOf(delivery, renderMarkdown), actions);
  return fits(rendered) ? rendered : messageOf(delivery, source, actions);
};

/** For a text that failed to render. Its anchor is in text form; a digest already has its anchors in the text. */
const plainMessage = (delivery: Delivery, actions: readonly ReplyAction[]): OutgoingActivity => {
  const { part, anchor } = delivery;
  const text = anchor === null ? part.markdown : `${anchor.text}\n\n${part.markdown}`;
  const { sections: _, ...whole } = delivery;
  return messageOf({ ...whole, anchor: null }, escapedSource(text), actions);
};

/**
 * The text, with each anchor before it as a quotation (O9): Teams shows cards below the text. The reader's client fills in
 * local times only in a card, so the card has the time.
 */
const textOf = ({ part, anchor, sections }: Delivery, render: (markdown: string) => string): string =>
  (sections ?? [{ markdown: part.markdown, anchor }])
    .map((section) => (section.anchor === null ? "" : preamble(section.anchor)) + render(section.markdown))
    .join("<br/>");

const preamble = (anchor: Anchor): string => {
  const { what, where } = anchorTexts({ anchor });
  const url = safeLink(anchor.link);
  const shown = escapeXml(withoutTemplates(what));
  const linked = url === undefined ? shown : `<a href="${escapeXml(url)}">${shown}</a>`;
  return `<blockquote>${[linked, ...where.map((line) => escapeXml(withoutTemplates(line)))].join("<br/>")}</blockquote>`;
};

const sourceOf = ({ part, sections }: Delivery): string =>
  sections === undefined ? part.markdown : sections.map(({ markdown }) => markdown).join("\n\n");

const messageOf = (delivery: Delivery, text: string, actions: readonly ReplyAction[]): OutgoingActivity => {
  const anchors = anchorsOf(delivery);
  const card = anchorCard(anchors, actions);
  return {
    type: "message",
    textFormat: "xml",
    text,
    // Notifications show the summary.
    ...(anchors.length > 0 && { summary: [...anchors.map(plainAnchor), previewOf(sourceOf(delivery))].join("\n") }),
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

const previewOf = (markdown: string): string =>
  withoutTemplates(wellFormed([...markdown.slice(0, 2_000).replace(/\s+/g, " ").trim()].slice(0, 140).join("")));

const MAX_LABEL = 40;
const MAX_SUMMARY = 300;
const MAX_LINK = 1_000;
/** Teams shows six of a set and hides more behind a menu that phones lack. A phone fits three side by side. */
const BUTTONS_IN_A_ROW = 3;

type Card = Readonly<Record<string, unknown>>;

/** `number`: the position of the item in a digest. */
interface ShownAnchor {
  readonly anchor: Anchor;
  readonly number?: number;
}

/** The card below the text, with the times of anchors and buttons, never the model's text. Undefined if there are neither. */
const anchorCard = (anchors: readonly ShownAnchor[], actions: readonly ReplyAction[]): Card | undefined => {
  if (anchors.length === 0 && actions.length === 0) return undefined;
  return {
    type: "AdaptiveCard",
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    version: "1.5",
    ...(anchors.length > 0 && { fallbackText: anchors.map(plainAnchor).join("\n") }),
    body: [...anchors.map(whenLine), ...rowsOf(actions)],
  };
};

/** The size that an anchor adds to a digest: in its card, and in the two texts for clients without cards. */
export const anchorBytes = (anchor: Anchor): number => {
  const shown = { anchor, number: 100 };
  return bytesOf(JSON.stringify([whenLine(shown), preamble(anchor), plainAnchor(shown), plainAnchor(shown)]));
};

/** One line for previews and for clients without cards, with the time in UTC. */
const plainAnchor = (shown: ShownAnchor): string => {
  const { startedAt } = shown.anchor;
  const { lead, what, when } = anchorTexts(shown);
  return withoutTemplates(`${lead}${what} · ${when(`${startedAt.slice(0, 16).replace("T", " ")} UTC`)}`);
};

const safeLink = (link = ""): string | undefined => {
  if (!/^https?:/i.test(link) || !URL.canParse(link)) return undefined;
  const { href } = new URL(link);
  return href.length <= MAX_LINK ? href : undefined;
};

/** The reader's client fills in its local date and time; it requires upper case, no spaces and no fractions. */
const whenLine = (shown: ShownAnchor): Card => {
  const at = `${shown.anchor.startedAt.slice(0, 19)}Z`;
  const { lead, when } = anchorTexts(shown);
  const text = `${lead}${when(`{{DATE(${at},SHORT)}} {{TIME(${at})}}`)}`;
  return { type: "TextBlock", text, size: "Small", isSubtle: true, spacing: "None", wrap: true };
};

interface AnchorTexts {
  /** The position of the item in a digest. */
  readonly lead: string;
  readonly what: string;
  /** The channel and the elapsed time when it was sent. */
  readonly where: readonly string[];
  readonly when: (time: string) => string;
}

const anchorTexts = ({ anchor: { channel, summary, ago, asked, language }, number }: ShownAnchor): AnchorTexts => {
  const words = textsFor(language).anchors;
  const short = cut(summary.slice(0, 2_000).replace(/\s+/g, " "), MAX_SUMMARY);
  const lead = number === undefined ? "" : `${number}. `;
  const elapsed = ago === undefined ? "" : ` · ${ago}`;
  const later = asked ? [`${words.askedFor} ${asked.ago} ${words.from} ${labelOf(asked.channel)}`] : [];
  const when = (time: string) => time;
  if (channel === "scheduled") return { lead, what: `${words.scheduled} · ${short}${elapsed}`, where: later, when };
  if (channel === "a2a-inbound") return { lead, what: `${short}${elapsed}`, where: [], when };
  const shown = labelOf(channel);
  const started = (time: string) => `${words.started} ${time} ${words.from} ${shown}`;
  return {
    lead,
    what: `↳ Re: "${short}"`,
    where: [`${words.started} ${words.from} ${shown}${elapsed}`],
    when: started,
  };
};

/** The channel's name comes from the configuration: letters, digits and "-". */
const labelOf = (channel: string): string => channelLabel(cut(channel.replace(/[^\p{L}\p{N}-]/gu, ""), MAX_LABEL));

const rowsOf = (actions: readonly ReplyAction[]): Card[] => {
  const rows = Math.ceil(actions.length / BUTTONS_IN_A_ROW);
  return Array.from({ length: rows }, (_, row) => ({
    type: "ActionSet",
    actions: actions.slice(row * BUTTONS_IN_A_ROW, (row + 1) * BUTTONS_IN_A_ROW).map(buttonOf),
  }));
};

const buttonOf = ({ name, label, value }: ReplyAction): Card => ({
  type: "Action.Submit",
  title: withoutTemplates(cut(label, MAX_LABEL)) || name,
  data: { mooring: { command: name, args: value ?? "" } },
});

const cut = (text: string, length: number): string =>
  wellFormed([...text.slice(0, 2 * length)].slice(0, length).join(""));
