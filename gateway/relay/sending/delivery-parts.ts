import { capabilitiesIn } from "../../../adapters/contract/abilities.ts";
import type { Capabilities, ChannelAdapter, Delivery } from "../../../adapters/contract/channel-adapter.ts";
import type { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { escapeAnchors } from "../../../adapters/contract/markdown/escape-anchors.ts";
import { splitMarkdown, withFenceClosed } from "../../../adapters/contract/markdown/split-markdown.ts";
import type { OutgoingFile } from "../../../adapters/contract/outgoing-file.ts";
import { spellCommands } from "../../../core/commands/index.ts";
import type { AgentReply, Anchor } from "../../../core/contract/messages/agent-reply.ts";
import { type Conversation, sameConversation } from "../../../core/contract/messages/conversation.ts";
import type { OutgoingReply, ReplyRequest } from "../../../core/contract/messages/delivery-request.ts";
import type { Received } from "../../../core/contract/ports/bus.ts";
import { type Texts, textsFor } from "../../../core/contract/texts/texts.ts";
import type { RelayContext } from "../context.ts";
import { asLinks, type LinkedFiles, type PlacedFiles, placeFiles, refusesFiles } from "./reply-files.ts";

type RequestedReply = OutgoingReply & Pick<ReplyRequest, "byHand">;

/**
 * Splits one reply for one target into the parts that a channel sends in order. The first part carries the anchor, before its text (O9);
 * `escapeAnchors` keeps text from passing for one (O16).
 */
export const deliveryParts = (
  { id, reply, target, byHand }: RequestedReply,
  capabilities: Capabilities,
  anchor: Anchor | null,
  { groups, linked }: PlacedFiles = NO_FILES,
): Delivery[] => {
  const spelled = withLinks({ ...reply, markdown: spelledText(reply, target, capabilities) }, linked);
  const shown = anchor === null ? spelled : withWhy(spelled, textsFor(anchor.language));
  const isBare = spelled.markdown.trim() === "" && groups.length > 0;
  const texts = isBare ? [] : splitMarkdown(spelled.markdown, capabilities.maxPartLength, capabilities.measure);
  // A log shows text and files together. Elsewhere the text may be a streamed message, and an edit cannot add files.
  const isTogether = capabilities.resend === "log" && texts.length > 0;
  const all: readonly Partial<Content>[] = isTogether
    ? texts.map((markdown, index) => (index === texts.length - 1 ? { markdown, files: groups.flat() } : { markdown }))
    : [...texts.map((markdown) => ({ markdown })), ...groups.map((files) => ({ files }))];
  return all.map(({ markdown = "", files = [] }, index) => ({
    id: `${id}/${index}`,
    // Buttons belong to the text.
    reply: index < texts.length || isBare ? shown : withoutActions(shown),
    target,
    ...answeredIn(reply, target),
    part: { index, count: index < texts.length ? texts.length : all.length, markdown: escapeAnchors(markdown) },
    anchor: index === 0 ? anchor : null,
    ...(files.length > 0 && { files }),
    ...(byHand && { byHand }),
    mayRepeat: false,
  }));
};

const withoutActions = ({ actions: _, ...reply }: AgentReply): AgentReply => reply;

interface Content {
  readonly markdown: string;
  readonly files: readonly OutgoingFile[];
}

const NO_FILES: PlacedFiles = { groups: [], linked: { markdown: "", actions: [] } };

const withLinks = (reply: AgentReply, { markdown, actions }: LinkedFiles): AgentReply =>
  markdown === ""
    ? reply
    : {
        ...reply,
        markdown: [reply.markdown, markdown].filter((text) => text.trim() !== "").join("\n\n"),
        actions: [...(reply.actions ?? []), ...actions],
      };

/** The message that the reply answers exists only in the conversation of the question. */
const answeredIn = ({ answers, audience }: AgentReply, target: Conversation): Pick<Delivery, "answers"> =>
  answers !== undefined && sameConversation(target, audience.conversation) ? { answers } : {};

/** The text of a reply with its commands as people type them in the target (I3). The model's text is never changed. */
export const spelledText = (
  { kind, outcome, markdown }: AgentReply,
  { thread }: Conversation,
  { commandPrefix, threadCommandPrefix = commandPrefix }: Capabilities,
): string =>
  kind === "notice" || outcome === "failed"
    ? spellCommands(markdown, thread === undefined ? commandPrefix : threadCommandPrefix)
    : markdown;

/** The parts of a reply with the anchor of this moment. */
export const partsOf = async (
  context: RelayContext,
  adapter: ChannelAdapter,
  request: RequestedReply,
): Promise<Delivery[]> => {
  const { reply, target } = request;
  const capabilities = capabilitiesIn(adapter, target);
  const files = reply.files === undefined ? undefined : await placeFiles(context, capabilities, reply, target);
  return deliveryParts(request, capabilities, await context.anchorIn(target, reply), files);
};

/** Adds the button that explains where an anchored answer comes from (O13). */
const withWhy = (reply: AgentReply, { why }: Texts): AgentReply =>
  reply.kind === "final"
    ? { ...reply, actions: [...(reply.actions ?? []), { name: "why", label: why.button, value: reply.id }] }
    : reply;

export type PartOutcome =
  /** The platform has the part. now: this attempt; before: an earlier one; settled: one of them, which one is unknown. */
  | { readonly accepted: "now" | "before" | "settled"; readonly messageId: string }
  | { readonly again: DeliveryFailed }
  | { readonly waitMs: number }
  /** A digest carries it instead. */
  | { readonly withdrawn: true }
  | { readonly dead: DeliveryFailed };

export type PartFailure = Exclude<PartOutcome, { accepted: unknown }>;

/** Sends one part, once per delivery id. */
export type SendPart = (delivery: Delivery, received: Received) => Promise<PartOutcome>;

/** Sends the parts in order up to the first that is not accepted. Resolves to the platform's message ids otherwise. */
export const sendParts = async (
  context: RelayContext,
  send: SendPart,
  parts: readonly Delivery[],
  received: Received,
): Promise<readonly string[] | PartFailure> => {
  const messageIds: string[] = [];
  for (const part of parts) {
    const [firstMessageId] = messageIds;
    const outcome = await sendOrLink(
      context,
      send,
      firstMessageId === undefined ? part : { ...part, firstMessageId },
      received,
    );
    countPart(context, part.target.channel, outcome);
    if (!("accepted" in outcome)) return outcome;
    messageIds.push(outcome.messageId);
  }
  return messageIds;
};

/** A platform that refuses files gets links to them instead, under the same part. */
const sendOrLink = async (
  context: RelayContext,
  send: SendPart,
  part: Delivery,
  received: Received,
): Promise<PartOutcome> => {
  const sent = await send(part, received);
  if (!("dead" in sent) || !refusesFiles(part, sent.dead.reason)) return sent;
  context.logger.info(
    { channel: part.target.channel, delivery: part.id, detail: sent.dead.message },
    "files refused, sent as links",
  );
  return send(await asLinks(context, part), received);
};

export const isPartFailure = (sent: readonly string[] | PartFailure): sent is PartFailure => !Array.isArray(sent);

export const countPart = ({ meter }: RelayContext, channel: string, outcome: PartOutcome): void => {
  if ("waitMs" in outcome || "withdrawn" in outcome) return;
  if ("accepted" in outcome) {
    const isNew = outcome.accepted !== "before";
    meter.count("deliveries_total", { channel, outcome: isNew ? "accepted" : "accepted-before" });
    return;
  }
  const { reason } = "dead" in outcome ? outcome.dead : outcome.again;
  meter.count("deliveries_total", { channel, outcome: reason });
};

/**
 * The first text of a streamed reply, posted in place of its first part. It has an id of its own, so that the platform
 * does not take the whole reply for a duplicate.
 */
interface StreamDraft extends Delivery {
  readonly isStreamDraft: true;
}

export const isStreamDraft = (delivery: Delivery): delivery is StreamDraft => "isStreamDraft" in delivery;

/** As much text as fits into one message, followed by an ellipsis. */
export const draftOf = (request: OutgoingReply, capabilities: Capabilities): StreamDraft => {
  const { maxPartLength = Number.POSITIVE_INFINITY } = capabilities;
  const [first] = deliveryParts(request, { ...capabilities, maxPartLength: maxPartLength - ELLIPSIS_ROOM }, null);
  return asDraft(request, withEllipsis(first?.part.markdown ?? ""));
};

/** Rebuilds the draft that an earlier attempt sent, or may have sent, from the final reply. */
export const sentDraft = ({ id, reply, target }: Delivery, markdown: string, sentAt: string): StreamDraft => {
  const { actions: _, data: __, ...rest } = reply;
  return asDraft({ id: id.replace(/\/0$/, ""), reply: { ...rest, createdAt: sentAt }, target }, markdown);
};

const asDraft = ({ id, reply, target }: OutgoingReply, markdown: string): StreamDraft => ({
  id: `${id}/beginning`,
  reply,
  target,
  ...answeredIn(reply, target),
  part: { index: 0, count: 1, markdown },
  anchor: null,
  mayRepeat: false,
  isStreamDraft: true,
});

const withEllipsis = (markdown: string): string => {
  const text = markdown.trimEnd();
  const closed = withFenceClosed(text);
  return closed === text ? `${text} …` : `${closed}\n…`;
};

/** Characters for the closing fence and the ellipsis. */
const ELLIPSIS_ROOM = 20;
