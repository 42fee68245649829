import type { types } from "@slack/bolt";
import type { Delivery } from "../contract/channel-adapter.ts";
import { anchorBlock } from "./anchor-block.ts";
import { buttonsBlock } from "./buttons.ts";
import { escapeMrkdwn } from "./escape-mrkdwn.ts";
import { sectionsOf } from "./sections.ts";

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

export const renderPost = (delivery: Delivery): SlackPost => {
  const { part, anchor } = delivery;
  const written = sectionsOf(part.markdown);
  const sections = written.length > 0 ? written : [escapeMrkdwn(part.markdown.trim()) || "…"];
  const below = [...(anchor ? [anchorBlock(anchor)] : []), ...buttonsBlock(delivery)];
  const spoken = anchor ? `\n\n${escapeMrkdwn(anchor.text)}` : "";
  if (sections.reduce((sum, section) => sum + section.length, 0) > MOST_IN_BLOCKS) {
    // Nearly all of it are signs that are escaped. The text of a message takes 40,000.
    const fallback = anchor?.text ?? "";
    const attachments = below.length === 0 ? [] : [{ fallback, blocks: below }];
    return { ...PLAIN, text: sections.join("\n\n"), blocks: [], attachments };
  }
  const [first = "", ...rest] = sections;
  const text = `${first}${rest.length > 0 ? " …" : ""}${spoken}`;
  // An edit keeps the blocks and attachments that it does not name, so both are always named.
  return { ...PLAIN, text, blocks: [...sections.map(sectionBlock), ...below], attachments: [] };
};

/** Expanded, so that nothing hides behind "see more"; verbatim, so that Slack makes no mention of plain words. */
const sectionBlock = (text: string): types.SectionBlock => ({
  type: "section",
  text: { type: "mrkdwn", text, verbatim: true },
  expand: true,
});
