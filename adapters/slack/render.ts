import type { types } from "@slack/bolt";
import type { Anchor, ReplyAction } from "../../core/contract/messages/agent-reply.ts";
import { channelLabel } from "../../core/contract/messages/channel-label.ts";
import { type Texts, textsFor } from "../../core/contract/texts/texts.ts";
import type { Delivery } from "../contract/channel-adapter.ts";
import { offeredActions } from "../contract/render-delivery.ts";
import { escapeMrkdwn, linkTo, plainSections, sectionsOf } from "./mrkdwn.ts";

/**
 * Maximum markdown length of one message. Slack accepts 3,000 characters in a section and rejects messages whose blocks
 * hold more than about 13,000; escaping makes texts longer.
 */
export const MAX_PART_LENGTH = 3_500;
const MAX_BLOCK_CHARS = 12_000;

export interface SlackPost {
  /** For notifications and screen readers; clients show it only if there are no blocks. */
  readonly text: string;
  readonly blocks: types.KnownBlock[];
  readonly attachments: types.MessageAttachment[];
  /** Keeps words such as "@here" from becoming mentions. */
  readonly parse: "none";
  readonly link_names: false;
}

const PLAIN = { parse: "none", link_names: false } as const;

export const renderPost = (delivery: Delivery): SlackPost =>
  delivery.plain ? plainPost(delivery) : (digestPost(delivery) ?? textPost(delivery));

/** For a text that failed to render. Its anchor is in text form; a digest already has its anchors in the text. */
const plainPost = (delivery: Delivery): SlackPost => {
  const { part, anchor } = delivery;
  const sections = [...(anchor ? [escapeMrkdwn(anchor.text)] : []), ...plainSections(part.markdown)];
  return postOf(sections, buttonsBlock(delivery));
};

const textPost = (delivery: Delivery): SlackPost => {
  const { part, anchor } = delivery;
  return postOf(writtenIn(part.markdown), buttonsBlock(delivery), anchor);
};

/** The anchor comes first, in the blocks and in the text of the notification (O9). */
const postOf = (sections: readonly string[], buttons: types.KnownBlock[], anchor: Anchor | null = null): SlackPost => {
  const preamble = anchor ? [escapeMrkdwn(anchor.text)] : [];
  if (sections.reduce((sum, section) => sum + section.length, 0) > MAX_BLOCK_CHARS) {
    // Only text full of escaped signs gets this long. The text field of a message accepts 40,000.
    const attachments = buttons.length === 0 ? [] : [{ fallback: "", blocks: buttons }];
    return { ...PLAIN, text: [...preamble, ...sections].join("\n\n"), blocks: [], attachments };
  }
  const [first = "", ...rest] = sections;
  const text = [...preamble, `${first}${rest.length > 0 ? " …" : ""}`].join("\n\n");
  const above = anchor ? [anchorBlock(anchor)] : [];
  // An edit keeps blocks and attachments that it does not name, so a post always names both.
  return { ...PLAIN, text, blocks: [...above, ...sections.map(sectionBlock), ...buttons], attachments: [] };
};

/** Each section of a digest with its anchor above it; undefined if the blocks would hold too much. */
const digestPost = (delivery: Delivery): SlackPost | undefined => {
  if (delivery.sections === undefined) return undefined;
  const texts = delivery.sections.map(({ markdown }) => writtenIn(markdown));
  const anchors = delivery.sections.map(({ anchor }) => (anchor ? [anchorBlock(anchor)] : []));
  const blocks = texts.flatMap((each, index) => [...(anchors[index] ?? []), ...each.map(sectionBlock)]);
  if (JSON.stringify(blocks).length > MAX_BLOCK_CHARS) return undefined;
  const [first = "", ...rest] = texts.flat();
  const text = rest.length > 0 ? `${first} …` : first;
  return { ...PLAIN, text, blocks: [...blocks, ...buttonsBlock(delivery)], attachments: [] };
};

const writtenIn = (markdown: string): readonly string[] => {
  const written = sectionsOf(markdown);
  return written.length > 0 ? written : [escapeMrkdwn(markdown.trim()) || "…"];
};

/** Expanded, so that Slack hides nothing behind "see more"; verbatim, so that plain words never become mentions. */
const sectionBlock = (text: string): types.SectionBlock => ({
  type: "section",
  text: { type: "mrkdwn", text, verbatim: true },
  expand: true,
});

/** A separate block, which text cannot imitate. The reader's client shows the time in the reader's zone (O10). */
export const anchorBlock = (anchor: Anchor): types.ContextBlock => ({
  type: "context",
  elements: [{ type: "mrkdwn", text: anchorText(anchor), verbatim: true }],
});

/** Slack has no live form of elapsed time, so it is that of sending. */
export const anchorText = ({ summary, channel, startedAt, link, ago, asked, language }: Anchor): string => {
  const { anchors } = textsFor(language);
  const when = localTime(startedAt, anchors);
  const elapsed = ago === undefined ? "" : ` · ${escapeMrkdwn(ago)}`;
  const what = link === undefined ? escapeMrkdwn(summary) : linkTo(link, escapeMrkdwn(summary));
  if (channel === "scheduled")
    return `${anchors.scheduled} · ${what} · ${when}${elapsed}${asked ? askedLine(asked, anchors) : ""}`;
  // The summary of an inbound task is "caller · skill".
  if (channel === "a2a-inbound") return `${what} · ${when}${elapsed}`;
  return `↳ Re: "${what}"\n${anchors.started} ${when} ${anchors.from} ${escapeMrkdwn(channelLabel(channel))}${elapsed}`;
};

type Words = Texts["anchors"];

const askedLine = ({ channel, at, ago }: NonNullable<Anchor["asked"]>, words: Words): string =>
  `\n${words.askedFor} ${localTime(at, words)} ${words.from} ${escapeMrkdwn(channelLabel(channel))} · ${escapeMrkdwn(ago)}`;

/** Notifications and old clients show the fallback. */
const localTime = (iso: string, words: Words): string => {
  const fallback = iso.replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC");
  return `<!date^${Math.floor(Date.parse(iso) / 1_000)}^{date_short_pretty} ${words.at} {time}|${escapeMrkdwn(fallback)}>`;
};

/** Slack's limits for an actions block, a label and a value. */
const MAX_BUTTONS = 25;
const MAX_LABEL = 75;
const MAX_VALUE = 2_000;

export const buttonsBlock = (delivery: Delivery): types.ActionsBlock[] => {
  const elements = offeredActions(delivery)
    .filter(({ value = "" }) => value.length <= MAX_VALUE)
    .slice(0, MAX_BUTTONS)
    .map(buttonOf);
  return elements.length === 0 ? [] : [{ type: "actions", elements }];
};

/** The index keeps action ids unique within a message, which can have several buttons for the same command. */
export const actionIdOf = (command: string, index: number): string => `mooring:${command}:${index}`;

/** The command of a pressed button; undefined for buttons of other apps. */
export const commandOfAction = (actionId: string): string | undefined => /^mooring:([\w-]+):\d+$/.exec(actionId)?.[1];

const buttonOf = ({ name, label, value }: ReplyAction, index: number): types.Button => ({
  type: "button",
  action_id: actionIdOf(name, index),
  text: { type: "plain_text", text: cut(label || name), emoji: false },
  ...(value !== undefined && value !== "" && { value }),
});

const cut = (label: string): string => (label.length <= MAX_LABEL ? label : `${[...label].slice(0, 30).join("")}…`);
