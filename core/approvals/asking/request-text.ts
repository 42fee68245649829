import { INBOUND_CHANNEL } from "../../contract/messages/addresses.ts";
import type { ReplyAction } from "../../contract/messages/agent-reply.ts";
import { type Texts, textsFor } from "../../contract/texts/texts.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { summarisePrompt } from "../../lib/index.ts";
import { clockTime } from "../../origin/index.ts";
import type { Approval } from "../record/approval-record.ts";
import { mayHold } from "../record/hour-grant.ts";

/** More would bury the decision in a flood of messages. */
export const MAX_ARGUMENT_CHARS = 12_000;

/** The arguments as people see them: exact, with every invisible character and long gap written out. */
export const shownArguments = (input: string): string =>
  JSON.stringify(JSON.parse(input), null, 2)
    .replace(INVISIBLE, escaped)
    .replace(GAP, (gap) => gap.replace(/./gsu, escaped));

/** Controls, formats, fillers, unassigned characters and lone surrogates; the line breaks of the layout stay. */
const INVISIBLE = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Longer than the indentation of any readable value. */
const GAP = /\p{Zs}{40,}/gu;

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");

/** The request without the line about buttons: what will be done, for whom, and with which arguments. */
export const requestText = (
  { name, description, approval }: Pick<Tool, "name" | "description" | "approval">,
  { asker, origin }: Pick<ToolContext, "asker" | "origin">,
  shown: string,
  texts: Texts,
): string => {
  const { approvals } = texts;
  // The fence must be longer than any fence in the arguments.
  const fence = "`".repeat(Math.max(3, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return [
    approvals.question(name),
    approvals.inPlainWords(oneLine(description, MAX_DESCRIPTION) || approvals.noDescription),
    approvals.about(sourceOf(origin.channel, oneLine(asker.name, MAX_NAME), texts), origin.promptSummary),
    ...(approval?.isDestructive ? [approvals.destructive] : []),
    shown === "{}" ? approvals.noArguments : `${approvals.theseArguments}\n\n${fence}json\n${shown}\n${fence}`,
  ].join("\n");
};

const sourceOf = (channel: string, asker: string, { approvals }: Texts): string => {
  if (channel === "scheduled") return approvals.forSchedule;
  return channel === INBOUND_CHANNEL ? approvals.forAgent : approvals.askedForBy(asker);
};

const MAX_DESCRIPTION = 300;
const MAX_NAME = 60;

/** Text of other programs and people: one line, without mark-up and secrets. */
export const oneLine = (text: string, max: number): string =>
  text.trim() === "" ? "" : summarisePrompt(text, max).replaceAll("`", "'");

/** The last line of a request. */
export const howToDecide = ({ id, expiresAt, asked, asker, locale }: Approval, now: number): string => {
  const isForAsker = asked.audience.conversation.kind === "private" && !asked.isHome;
  const timeZone = isForAsker ? asker.timeZone : undefined;
  const until = clockTime(Date.parse(expiresAt), now, { timeZone, locale });
  return textsFor(locale).approvals.expires(id, `${until}${timeZone === undefined ? " UTC" : ""}`);
};

/** The buttons of a request. */
export const requestActions = (approval: Approval, { approvals }: Texts): ReplyAction[] => [
  { name: "approve", label: approvals.approveButton, value: approval.id },
  ...(mayHold(approval) ? [{ name: "approve", label: approvals.hourButton, value: `hour ${approval.id}` }] : []),
  { name: "approve", label: approvals.denyButton, value: `deny ${approval.id}` },
];
