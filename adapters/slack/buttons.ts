import type { types } from "@slack/bolt";
import type { ReplyAction } from "../../core/contract/agent-reply.ts";
import type { Delivery } from "../contract/channel-adapter.ts";
import { offeredActions } from "../contract/channel-adapter.ts";
import { actionIdOf } from "./inbound.ts";

/** Slack's limits: of one actions block, of a label, of a value. */
const MOST_BUTTONS = 25;
const LONGEST_LABEL = 75;
const LONGEST_VALUE = 2_000;

export const buttonsBlock = (delivery: Delivery): types.ActionsBlock[] => {
  const elements = offeredActions(delivery)
    .filter(({ value = "" }) => value.length <= LONGEST_VALUE)
    .slice(0, MOST_BUTTONS)
    .map(buttonOf);
  return elements.length === 0 ? [] : [{ type: "actions", elements }];
};

const buttonOf = ({ name, label, value }: ReplyAction, index: number): types.Button => ({
  type: "button",
  action_id: actionIdOf(name, index),
  text: { type: "plain_text", text: cut(label || name), emoji: false },
  ...(value !== undefined && value !== "" && { value }),
});

const cut = (label: string): string => (label.length <= LONGEST_LABEL ? label : `${[...label].slice(0, 30).join("")}…`);
