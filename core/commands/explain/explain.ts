import { INBOUND_CHANNEL } from "../../contract/messages/addresses.ts";
import { channelLabel } from "../../contract/messages/channel-label.ts";
import type { Conversation } from "../../contract/messages/conversation.ts";
import { sameConversation } from "../../contract/messages/conversation.ts";
import type { ViewerTime } from "../../contract/relative-time.ts";
import { relativeTime } from "../../contract/relative-time.ts";
import { type Texts, textsFor } from "../../contract/texts/texts.ts";
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
  const texts = textsFor(viewer.locale).why;
  const started = Date.parse(origin.startedAt);
  const when = `${clockTime(started, now, viewer)} (${relativeTime(started, now, viewer)})`;
  const [known] = sourceTexts(origin.channel, texts);
  const title = origin.promptSummary;
  const prompt =
    asked === undefined ? title : cutAtGraphemes(oneLine(maskSecrets(asked.slice(0, MAX_READ_CHARS))), MAX_ASKED_CHARS);
  const by = cause === undefined ? undefined : oneLine(cause.asker.name);
  const source = known ?? texts.asked(by, channelLabel(origin.channel));
  const link = origin.link !== undefined && /^https?:\/\/[^\s()<>]+$/.test(origin.link) ? origin.link : undefined;
  const began = audience.conversation;
  const shown = conversations.map((shownIn) => conversationText(shownIn, began, texts));
  const left = pending.map((one) => `${conversationText(one.target, began, texts)}${stateText(one, viewer, now)}`);
  const after = [
    ...(shown.length === 0 ? [] : [texts.shownIn(shown.join(", "))]),
    ...(left.length === 0 ? [] : [texts.notShown(left.join("; "))]),
    ...(link === undefined ? [] : [`[${texts.goToFirst}](${link})`]),
  ];
  return [
    known === undefined
      ? texts.whatWasAsked(prompt, source, when)
      : `${texts.whatItIsAbout(title, source, when)}${prompt === title ? "" : ` ${texts.itSays(prompt)}`}`,
    texts.whyNow(triggerText(cause?.trigger, texts)),
    ...(work.length === 0 ? [] : [texts.whatWasDone, ...workLines(work, texts)]),
    // Without an empty line, markdown reads the next line as part of the last list item.
    ...(work.length === 0 || after.length === 0 ? [] : [""]),
    ...after,
  ].join("\n");
};

type WhyTexts = Texts["why"];

/** The source of work that no person asked for in a message; empty for a channel of people. */
const sourceTexts = (channel: string, { onSchedule, fromAgent }: WhyTexts): string[] =>
  channel === "scheduled" ? [onSchedule] : channel === INBOUND_CHANNEL ? [fromAgent] : [];

const triggerText = (trigger = "", { triggers, background }: WhyTexts): string =>
  Object.hasOwn(triggers, trigger) ? triggers[trigger as keyof WhyTexts["triggers"]] : background;

/** Lists messages that a person has not received (O13). */
export const explainPending = (pending: readonly PendingDelivery[], viewer: ViewerTime, now: number): string => {
  const texts = textsFor(viewer.locale).why;
  const lines = pending.map((one) => {
    const target = conversationText(one.target, undefined, texts);
    return `- ${texts.pendingEntry(oneLine(one.about), target)}${stateText(one, viewer, now)}`;
  });
  const more = lines.length - MAX_PENDING;
  const rest = more > 0 ? [`- ${texts.moreInInbox(more)}`] : [];
  return [texts.pending, ...lines.slice(0, MAX_PENDING), ...rest].join("\n");
};

const MAX_PENDING = 10;

const stateText = ({ state }: PendingDelivery, viewer: ViewerTime, now: number): string => {
  const texts = textsFor(viewer.locale);
  if ("failed" in state) return `, ${texts.why.failed(deliveryFailureText(state.failed, texts))}`;
  return state.heldUntil > now
    ? `, ${texts.why.heldUntil(clockTime(state.heldUntil, now, viewer))}`
    : `, ${texts.why.heldUntilReachable}`;
};

const MAX_ASKED_CHARS = 400;
/** Characters of a prompt that are masked and cut. */
const MAX_READ_CHARS = 4_000;
const MAX_LINES = 40;

const workLines = (work: readonly WorkTree[], texts: WhyTexts): string[] => {
  const lines = work.flatMap((step) => stepLines(step, 0, texts));
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `- ${texts.more(more)}`] : lines;
};

const stepLines = ({ kind, id, name, outcome, steps }: WorkTree, depth: number, texts: WhyTexts): string[] => {
  const label = Object.hasOwn(texts.steps, kind) ? texts.steps[kind as keyof WhyTexts["steps"]] : kind;
  const what = kind === "subtask" || kind === "peer" ? oneLine(name) : `${label} \`${id}\`: ${oneLine(name)}`;
  const line = outcome === undefined ? what : `${what}: ${outcome}`;
  return [`${"  ".repeat(depth)}- ${line}`, ...steps.flatMap((step) => stepLines(step, depth + 1, texts))];
};

const conversationText = (shownIn: Conversation, origin: Conversation | undefined, texts: WhyTexts): string => {
  const isOrigin = origin !== undefined && sameConversation(shownIn, origin);
  const what = isOrigin ? texts.whereItBegan : shownIn.kind === "private" ? texts.privately : texts.aRoom;
  return `${channelLabel(shownIn.channel)} (${what})`;
};

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
