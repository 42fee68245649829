import type { types } from "@slack/bolt";
import type { Delivery } from "../contract/channel-adapter.ts";
import { anchorBlock } from "./anchor-block.ts";
import { buttonsBlock } from "./buttons.ts";
import { escapeMrkdwn } from "./escape-mrkdwn.ts";
import { plainSections, sectionsOf } from "./sections.ts";

/**
 * Markdown this long is written in one message. Slack takes 3,000 in a section and refuses messages whose blocks hold
 * more than about 13,000; escaping makes texts longer.
 */
export const MAX_PART_LENGTH = 3_500;
const MOST_IN_BLOCKS = 12_000;

export interface SlackPost {
  /** What notifications and screen readers get; shown only where there are no blocks. */
  readonly text: string;
  readonly blocks: types.KnownBlock[];
  readonly attachments: types.MessageAttachment[];
  /** Plain words such as "@here" stay plain. */
  readonly parse: "none";
  readonly link_names: false;
}

const PLAIN = { parse: "none", link_names: false } as const;

export const renderPost = (delivery: Delivery): SlackPost =>
  delivery.plain ? plainPost(delivery) : (digestPost(delivery) ?? textPost(delivery));

/** For a text that cannot be drawn. Its anchor is in words; those of a digest are in its text already. */
const plainPost = (delivery: Delivery): SlackPost => {
  const { part, anchor } = delivery;
  const sections = [...plainSections(part.markdown), ...(anchor ? [escapeMrkdwn(anchor.text)] : [])];
  return postOf(sections, buttonsBlock(delivery), { fallback: "", spoken: "" });
};

const textPost = (delivery: Delivery): SlackPost => {
  const { part, anchor } = delivery;
  const below = [...(anchor ? [anchorBlock(anchor)] : []), ...buttonsBlock(delivery)];
  const spoken = anchor ? `\n\n${escapeMrkdwn(anchor.text)}` : "";
  return postOf(writtenIn(part.markdown), below, { fallback: anchor?.text ?? "", spoken });
};

const postOf = (
  sections: readonly string[],
  below: types.KnownBlock[],
  { fallback, spoken }: { readonly fallback: string; readonly spoken: string },
): SlackPost => {
  if (sections.reduce((sum, section) => sum + section.length, 0) > MOST_IN_BLOCKS) {
    // Nearly all of it are signs that are escaped. The text of a message takes 40,000.
    const attachments = below.length === 0 ? [] : [{ fallback, blocks: below }];
    return { ...PLAIN, text: sections.join("\n\n"), blocks: [], attachments };
  }
  const [first = "", ...rest] = sections;
  const text = `${first}${rest.length > 0 ? " …" : ""}${spoken}`;
  // An edit keeps the blocks and attachments that it does not name, so both are always named.
  return { ...PLAIN, text, blocks: [...sections.map(sectionBlock), ...below], attachments: [] };
};

/** Each text of a digest with its anchor below it, unless that is more than blocks can hold. */
const digestPost = (delivery: Delivery): SlackPost | undefined => {
  if (delivery.sections === undefined) return undefined;
  const texts = delivery.sections.map(({ markdown }) => writtenIn(markdown));
  const anchors = delivery.sections.map(({ anchor }) => (anchor ? [anchorBlock(anchor)] : []));
  const blocks = texts.flatMap((each, index) => [...each.map(sectionBlock), ...(anchors[index] ?? [])]);
  if (JSON.stringify(blocks).length > MOST_IN_BLOCKS) return undefined;
  const [first = "", ...rest] = texts.flat();
  const text = rest.length > 0 ? `${first} …` : first;
  return { ...PLAIN, text, blocks: [...blocks, ...buttonsBlock(delivery)], attachments: [] };
};

const writtenIn = (markdown: string): readonly string[] => {
  const written = sectionsOf(markdown);
  return written.length > 0 ? written : [escapeMrkdwn(markdown.trim()) || "…"];
};

/** Expanded, so that nothing hides behind "see more"; verbatim, so that Slack makes no mention of plain words. */
const sectionBlock = (text: string): types.SectionBlock => ({
  type: "section",
  text: { type: "mrkdwn", text, verbatim: true },
  expand: true,
});
