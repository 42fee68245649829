import { channelLabel } from "../../contract/messages/channel-label.ts";
import type { Conversation } from "../../contract/messages/conversation.ts";
import { sameConversation } from "../../contract/messages/conversation.ts";
import type { ViewerTime } from "../../contract/relative-time.ts";
import { relativeTime } from "../../contract/relative-time.ts";
import { deliveryFailureText } from "../../delivery/undelivered/index.ts";
import { cutAtGraphemes, maskSecrets } from "../../lib/index.ts";
import { clockTime, type PlacedReply } from "../../origin/index.ts";
import type { PendingDelivery } from "./pending-deliveries.ts";
import type { WorkTree } from "./work-tree.ts";

export interface Explained {
  readonly reply: PlacedReply;
  /** The prompt that started the work, if it is still stored; for a schedule, the text below its title. */
  readonly asked: string | undefined;
  readonly work: readonly WorkTree[];
  /** The conversations that show it and that the reader may know. */
  readonly conversations: readonly Conversation[];
  /** Its deliveries that wait or failed and that the reader may know. */
  readonly pending: readonly PendingDelivery[];
}

/** Explains a proactive message to the person who asks (O13). */
export const explain = (
  { reply, asked, work, conversations, pending }: Explained,
  viewer: ViewerTime,
  now: number,
): string => {
  const { origin, cause, audience } = reply;
  const started = Date.parse(origin.startedAt);
  const when = `${clockTime(started, now, viewer)} (${relativeTime(started, now, viewer)})`;
  const isPersons = SOURCES[origin.channel] === undefined;
  const title = origin.promptSummary;
  const prompt =
    asked === undefined ? title : cutAtGraphemes(oneLine(maskSecrets(asked.slice(0, MAX_READ_CHARS))), MAX_ASKED_CHARS);
  const by = isPersons && cause !== undefined ? ` by ${oneLine(cause.asker.name)}` : "";
  const source = SOURCES[origin.channel] ?? `asked${by} in ${channelLabel(origin.channel)}`;
  const link = origin.link !== undefined && /^https?:\/\/[^\s()<>]+$/.test(origin.link) ? origin.link : undefined;
  const began = audience.conversation;
  const shown = conversations.map((shownIn) => conversationText(shownIn, began));
  const left = pending.map((one) => `${conversationText(one.target, began)}${stateText(one, viewer, now)}`);
  return [
    isPersons
      ? `**What was asked:** “${prompt}”, ${source}, ${when}.`
      : `**What it is about:** “${title}”, ${source}, ${when}.${prompt === title ? "" : ` It says: “${prompt}”.`}`,
    `**Why now:** ${TRIGGERS[cause?.trigger ?? ""] ?? "I was working in the background, and this is the result"}.`,
    ...(work.length === 0 ? [] : ["**What was done:**", ...workLines(work)]),
    ...(shown.length === 0 ? [] : [`**Shown in:** ${shown.join(", ")}.`]),
    ...(left.length === 0 ? [] : [`**Not shown yet:** ${left.join("; ")}.`]),
    ...(link === undefined ? [] : [`[Go to the first message](${link})`]),
  ].join("\n");
};

/** Lists messages that a person has not received (O13). */
export const explainPending = (pending: readonly PendingDelivery[], viewer: ViewerTime, now: number): string => {
  const lines = pending.map((one) => {
    const target = conversationText(one.target, undefined);
    return `- “${oneLine(one.about)}”, for ${target}${stateText(one, viewer, now)}`;
  });
  const more = lines.length - MAX_PENDING;
  const rest = more > 0 ? [`- and ${more} more: see \`/status\` and \`/inbox\``] : [];
  return ["**Messages that have not reached you yet:**", ...lines.slice(0, MAX_PENDING), ...rest].join("\n");
};

const MAX_PENDING = 10;

const stateText = ({ state }: PendingDelivery, viewer: ViewerTime, now: number): string => {
  if ("failed" in state) return `, not delivered: ${deliveryFailureText(state.failed)}, see \`/inbox\``;
  return state.heldUntil > now
    ? `, held until ${clockTime(state.heldUntil, now, viewer)}`
    : ", held until I can reach it";
};

const MAX_ASKED_CHARS = 400;
/** Characters of a prompt that are masked and cut. */
const MAX_READ_CHARS = 4_000;
const MAX_LINES = 40;

const SOURCES: Readonly<Record<string, string>> = {
  scheduled: "on a schedule",
  "a2a-inbound": "from another agent",
};

const TRIGGERS: Readonly<Record<string, string>> = {
  synthesis: "all delegated work had finished",
  amendment: "another result came after the first answer",
  "wake-up": "delegated work had an update",
  task: "it was due",
  inbound: "other agents sent messages, and you were not busy",
  callback: "another agent had answered",
  late: "another agent answered after the work had ended",
  approval: "a call that needed an approval was decided",
};

const workLines = (work: readonly WorkTree[]): string[] => {
  const lines = work.flatMap((step) => stepLines(step, 0));
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `- and ${more} more`] : lines;
};

const stepLines = ({ kind, id, name, outcome, steps }: WorkTree, depth: number): string[] => {
  const what = kind === "subtask" || kind === "peer" ? oneLine(name) : `${kind} \`${id}\`: ${oneLine(name)}`;
  const line = outcome === undefined ? what : `${what}: ${outcome}`;
  return [`${"  ".repeat(depth)}- ${line}`, ...steps.flatMap((step) => stepLines(step, depth + 1))];
};

const conversationText = (shownIn: Conversation, origin: Conversation | undefined): string => {
  const isOrigin = origin !== undefined && sameConversation(shownIn, origin);
  const what = isOrigin ? "where it began" : shownIn.kind === "private" ? "private" : "a room";
  return `${channelLabel(shownIn.channel)} (${what})`;
};

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
