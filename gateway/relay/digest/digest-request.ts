import type { ChannelAdapter, Delivery } from "../../../adapters/contract/channel-adapter.ts";
import type { Conversation } from "../../../core/contract/conversation.ts";
import { conversationKey } from "../../../core/contract/conversation.ts";
import type { DeliveryRequest } from "../../../core/contract/delivery-request.ts";
import type { HeldRecord } from "../../../core/delivery/held-record.ts";
import { digestParts } from "../delivery-parts.ts";
import type { RelayContext } from "../relay-context.ts";
import { partsOf } from "../send-parts.ts";
import { composeDigest } from "./compose-digest.ts";

export type Digest = NonNullable<HeldRecord["digest"]>;

/** Fewer than a value of the store can take, whatever the characters. What is more waits for the next digest. */
const MAX_CHARS = 100_000;

/** As many as fit into one digest, the oldest first; always one. */
export const fitting = (requests: readonly DeliveryRequest[]): readonly DeliveryRequest[] => {
  let chars = 0;
  const end = requests.findIndex(({ reply }, index) => {
    chars += reply.markdown.length;
    return index > 0 && chars > MAX_CHARS;
  });
  return end < 0 ? requests : requests.slice(0, end);
};

/** One that is alone needs no other words than its own. */
export const digestText = async ({ anchorIn }: RelayContext, requests: readonly DeliveryRequest[]): Promise<string> => {
  if (requests.length < 2) return "";
  const items = requests.map(async ({ reply, target }) => ({
    markdown: reply.markdown,
    anchor: await anchorIn(target, reply),
  }));
  return composeDigest(await Promise.all(items));
};

/** The parts of a digest, under ids of its own: whoever sends it again sends the same. */
export const partsOfDigest = async (
  context: RelayContext,
  adapter: ChannelAdapter,
  target: Conversation,
  { number, markdown }: Digest,
  requests: readonly [DeliveryRequest, ...DeliveryRequest[]],
): Promise<Delivery[]> => {
  const [alone] = requests;
  const id = `digest/${conversationKey(target)}/${number}`;
  if (markdown === "") return (await partsOf(context, adapter, alone)).map((part) => under(id, part));
  const { tenant, agent, createdAt, traceId } = alone.reply;
  const reply = {
    id,
    tenant,
    agent,
    sessionId: null,
    kind: "notice",
    markdown,
    origin: null,
    audience: { conversation: target, personId: null },
    createdAt,
    traceId,
  } as const;
  return digestParts({ id, reply, target }, adapter.capabilities);
};

const under = (id: string, delivery: Delivery): Delivery => ({
  ...delivery,
  id: `${id}/${delivery.part.index}`,
  reply: { ...delivery.reply, id },
});
