import type { types } from "@slack/bolt";
import type { Anchor, ReplyAction } from "../../../core/contract/agent-reply.ts";
import type { Delivery } from "../../contract/channel-adapter.ts";
import { offeredActions } from "../../contract/channel-adapter.ts";
import { escapeMrkdwn, linkTo } from "./mrkdwn.ts";

/** A separate block, which text cannot imitate. The reader's client shows the time in the reader's zone (O10). */
export const anchorBlock = (anchor: Anchor): types.ContextBlock => ({
  type: "context",
  elements: [{ type: "mrkdwn", text: anchorText(anchor), verbatim: true }],
});

export const anchorText = ({ summary, channel, startedAt, link }: Anchor): string => {
  const when = localTime(startedAt);
  const what = link === undefined ? escapeMrkdwn(summary) : linkTo(link, escapeMrkdwn(summary));
  if (channel === "scheduled") return `scheduled · ${what} · ${when}`;
  // The summary of an inbound task is "caller · skill".
  if (channel === "a2a-inbound") return `${what} · ${when}`;
  return `↳ Re: "${what}"\nstarted ${when} from ${escapeMrkdwn(channel.charAt(0).toUpperCase() + channel.slice(1))}`;
};

/** Notifications and old clients show the fallback. */
const localTime = (iso: string): string => {
  const fallback = iso.replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC");
  return `<!date^${Math.floor(Date.parse(iso) / 1_000)}^{date_short_pretty} at {time}|${escapeMrkdwn(fallback)}>`;
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
