import type { ChannelAdapter, Delivery } from "../../../adapters/contract/channel-adapter.ts";
import type { Conversation } from "../../../core/contract/conversation.ts";
import { conversationKey } from "../../../core/contract/conversation.ts";
import type { DeliveryRequest } from "../../../core/contract/delivery-request.ts";
import type { Digest, DigestPart } from "../../../core/delivery/held/index.ts";
import type { RelayContext } from "../relay-context.ts";
import { partsOf } from "../send-parts.ts";
import { composeDigest, digestText } from "./compose-digest.ts";

/** Together less than a value of the store can take, whatever the characters. What is more waits for the next digest. */
const MAX_CHARS = 100_000;
const MOST_ITEMS = 50;
/** Of one part: as many as platforms show in one message. */
const MOST_BUTTONS = 10;

/** As many as fit into one digest, the oldest first; always one. */
export const fitting = (requests: readonly DeliveryRequest[]): readonly DeliveryRequest[] => {
  let chars = 0;
  const end = requests.findIndex(({ reply }, index) => {
    chars += reply.markdown.length;
    return index > 0 && (chars > MAX_CHARS || index >= MOST_ITEMS);
  });
  return end < 0 ? requests : requests.slice(0, end);
};

/** One that is alone needs no other words than its own. */
export const digestParts = async (
  { anchorIn }: RelayContext,
  { capabilities }: ChannelAdapter,
  requests: readonly DeliveryRequest[],
): Promise<DigestPart[]> => {
  if (requests.length < 2) return [];
  const items = requests.map(async ({ id, reply, target }) => ({
    id,
    markdown: reply.markdown,
    anchor: await anchorIn(target, reply),
  }));
  return composeDigest(await Promise.all(items), capabilities);
};

/** The parts of a digest, under ids of its own: whoever sends it again sends the same. */
export const partsOfDigest = async (
  context: RelayContext,
  adapter: ChannelAdapter,
  target: Conversation,
  { number, itemIds, parts }: Digest,
  requests: readonly [DeliveryRequest, ...DeliveryRequest[]],
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
  const endsIn = (index: number) => (request: DeliveryRequest) =>
    parts.findLastIndex((part) => part.itemIds.includes(request.id)) === index;
  const whyIn = (index: number) =>
    requests
      .filter(endsIn(index))
      .slice(0, MOST_BUTTONS)
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

const whyAction = ({ reply }: DeliveryRequest, number: number) => ({
  name: "why",
  label: `Why ${number}?`,
  value: reply.id,
});

const under = (id: string, delivery: Delivery): Delivery => ({
  ...delivery,
  id: `${id}/${delivery.part.index}`,
  reply: { ...delivery.reply, id },
});
