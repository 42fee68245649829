import type { Capabilities, ChannelAdapter, Delivery } from "../../../adapters/contract/channel-adapter.ts";
import type { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { escapeAnchors } from "../../../adapters/contract/markdown/escape-anchors.ts";
import { splitMarkdown, withFenceClosed } from "../../../adapters/contract/markdown/split-markdown.ts";
import { spellCommands } from "../../../core/commands/index.ts";
import type { AgentReply, Anchor } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { OutgoingReply, ReplyRequest } from "../../../core/contract/messages/delivery-request.ts";
import type { Received } from "../../../core/contract/ports/bus.ts";
import type { RelayContext } from "../context.ts";

type RequestedReply = OutgoingReply & Pick<ReplyRequest, "byHand">;

/**
 * Splits one reply for one target into the parts that a channel sends in order. The last part carries the anchor;
 * `escapeAnchors` keeps text from passing for one (O16).
 */
export const deliveryParts = (
  { id, reply, target, byHand }: RequestedReply,
  capabilities: Capabilities,
  anchor: Anchor | null,
): Delivery[] => {
  const spelled = { ...reply, markdown: spelledText(reply, target, capabilities) };
  const shown = anchor === null ? spelled : withWhy(spelled);
  const texts = splitMarkdown(spelled.markdown, capabilities.maxPartLength, capabilities.measure);
  return texts.map((markdown, index) => ({
    id: `${id}/${index}`,
    reply: shown,
    target,
    part: { index, count: texts.length, markdown: escapeAnchors(markdown) },
    anchor: index === texts.length - 1 ? anchor : null,
    ...(byHand && { byHand }),
    mayRepeat: false,
  }));
};

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
  { anchorIn }: RelayContext,
  { capabilities }: ChannelAdapter,
  request: RequestedReply,
): Promise<Delivery[]> => deliveryParts(request, capabilities, await anchorIn(request.target, request.reply));

/** Adds the button that explains where an anchored answer comes from (O13). */
const withWhy = (reply: AgentReply): AgentReply =>
  reply.kind === "final"
    ? { ...reply, actions: [...(reply.actions ?? []), { name: "why", label: "Why?", value: reply.id }] }
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
    const outcome = await send(firstMessageId === undefined ? part : { ...part, firstMessageId }, received);
    countPart(context, part.target.channel, outcome);
    if (!("accepted" in outcome)) return outcome;
    messageIds.push(outcome.messageId);
  }
  return messageIds;
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
