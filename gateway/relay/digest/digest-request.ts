import type { ChannelAdapter, Delivery } from "../../../adapters/contract/channel-adapter.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { ReplyRequest } from "../../../core/contract/messages/delivery-request.ts";
import type { Digest, DigestPart } from "../../../core/delivery/held/index.ts";
import type { RelayContext } from "../context.ts";
import { partsOf, spelledText } from "../sending/delivery-parts.ts";
import { composeDigest, digestText } from "./compose-digest.ts";

/** Fits into one value of the store in any encoding. The remaining items wait for the next digest. */
const MAX_CHARS = 100_000;
const MAX_ITEMS = 50;
/** Per part: platforms show this many in one message. */
const MAX_BUTTONS = 10;

/** The oldest requests that fit into one digest, at least one. */
export const fitting = (requests: readonly ReplyRequest[]): readonly ReplyRequest[] => {
  let chars = 0;
  const end = requests.findIndex(({ reply }, index) => {
    chars += reply.markdown.length;
    return index > 0 && (chars > MAX_CHARS || index >= MAX_ITEMS);
  });
  return end < 0 ? requests : requests.slice(0, end);
};

/** Empty for a single request, which is sent as itself. */
export const digestParts = async (
  { anchorIn }: RelayContext,
  { capabilities }: ChannelAdapter,
  requests: readonly ReplyRequest[],
): Promise<DigestPart[]> => {
  if (requests.length < 2) return [];
  const items = requests.map(async ({ id, reply, target }) => ({
    id,
    markdown: spelledText(reply, capabilities.commandPrefix),
    anchor: await anchorIn(target, reply),
  }));
  return composeDigest(await Promise.all(items), capabilities);
};

/** The parts of a digest under ids of its own, so that every attempt sends the same parts. */
export const partsOfDigest = async (
  context: RelayContext,
  adapter: ChannelAdapter,
  target: Conversation,
  { number, itemIds, parts }: Digest,
  requests: readonly [ReplyRequest, ...ReplyRequest[]],
): Promise<Delivery[]> => {
  const [alone] = requests;
  const id = `digest/${conversationKey(target)}/${number}`;
  if (parts.length === 0) return (await partsOf(context, adapter, alone)).map((part) => under(id, part));
  const { tenant, agent, createdAt, traceId } = alone.reply;
  const reply = {
    id,
    tenant,
    agent,
    sessionId: null,
    kind: "notice" as const,
    markdown: parts.map(({ sections }) => digestText(sections)).join("\n\n"),
    origin: null,
    audience: { conversation: target, personId: null },
    createdAt,
    traceId,
  };
  const endsIn = (index: number) => (request: ReplyRequest) =>
    parts.findLastIndex((part) => part.itemIds.includes(request.id)) === index;
  const whyIn = (index: number) =>
    requests
      .filter(endsIn(index))
      .slice(0, MAX_BUTTONS)
      .map((request) => whyAction(request, itemIds.indexOf(request.id) + 1));
  return parts.map(({ sections }, index) => ({
    id: `${id}/${index}`,
    reply: { ...reply, actions: whyIn(index) },
    target,
    part: { index, count: parts.length, markdown: digestText(sections) },
    anchor: null,
    sections,
    mayRepeat: false,
  }));
};

const whyAction = ({ reply }: ReplyRequest, number: number) => ({
  name: "why",
  label: `Why ${number}?`,
  value: reply.id,
});

const under = (id: string, delivery: Delivery): Delivery => ({
  ...delivery,
  id: `${id}/${delivery.part.index}`,
  reply: { ...delivery.reply, id },
});
