import type { AgentRef } from "../../../core/contract/messages/addresses.ts";
import { type Conversation, conversationKey, sameConversation } from "../../../core/contract/messages/conversation.ts";
import { deadLetterKey } from "../../../core/contract/ports/bus.ts";
import { keyParts, type Store } from "../../../core/contract/ports/store.ts";
import { type LedgerEntry, ledgerOf } from "../../../core/delivery/index.ts";
import { undeliveredId } from "../../../core/delivery/undelivered/index.ts";
import { readPlacedReply } from "../../../core/origin/index.ts";
import type { Delivery } from "../../admin-api/index.ts";
import { outboxDurable, relayDurable } from "../../relay/index.ts";
import { refOf } from "../page.ts";

/** The deliveries of a reply, from the ledger, the reply placements and the dead letters. `target`: its addressee. */
export const readDeliveries = async (
  store: Store,
  { tenant, agent }: AgentRef,
  replyId: string,
  target?: { readonly conversation: Conversation; readonly at: string },
): Promise<Delivery[]> => {
  const found: Delivery[] = [];
  for await (const { key, value } of store.list(ledgerOf(replyId))) {
    const [, encoded = "", part = "0"] = keyParts(key);
    found.push(shownPart(conversationFrom(encoded), Number(part), value));
  }
  const isFound = (target: Delivery["conversation"]) =>
    found.some(({ conversation }) => sameConversation(asConversation(conversation), asConversation(target)));
  const placed = await readPlacedReply(store, { tenant, agent, replyId });
  for (const { conversation, at } of placed?.places ?? []) {
    if (!isFound(conversation)) found.push({ conversation, part: 0, state: "logged", at });
  }
  // A channel with its own log has no ledger entry for it.
  if (target && !isFound(target.conversation)) {
    found.push({ conversation: target.conversation, part: 0, state: "published", at: target.at });
  }
  return Promise.all(found.map((delivery) => withLetter(store, replyId, delivery)));
};

const shownPart = (conversation: Delivery["conversation"], part: number, entry: LedgerEntry): Delivery => {
  const { state, at } = entry;
  const common = { conversation, part, state, at };
  if (state === "accepted") return { ...common, messageId: entry.messageId };
  return state === "failed" || state === "unknown" ? { ...common, reason: entry.reason } : common;
};

const withLetter = async (store: Store, replyId: string, delivery: Delivery): Promise<Delivery> => {
  const { conversation, state } = delivery;
  if (state === "accepted" || state === "logged") return delivery;
  const { channel } = conversation;
  const request = `${replyId}/${conversationKey(asConversation(conversation))}`;
  const letter =
    (await store.get(deadLetterKey(outboxDurable(channel), request))) ??
    (await store.get(deadLetterKey(relayDurable(channel), replyId)));
  if (letter === undefined) return delivery;
  const { reason, deadAt } = letter.value;
  return {
    ...delivery,
    state: "given-up",
    at: deadAt,
    reason,
    ref: refOf("delivery", channel, undeliveredId(letter.value, asConversation(conversation))),
  };
};

/** The kind of a conversation is not part of its address. */
const asConversation = (address: Delivery["conversation"]): Conversation => ({ ...address, kind: "shared" });

const conversationFrom = (encoded: string): Delivery["conversation"] => {
  const [channel, workspace, room, thread] = encoded
    .split("/")
    .map((part) => (part.startsWith("+") ? decodeURIComponent(part.slice(1)) : undefined));
  return {
    channel: channel ?? "",
    ...(workspace !== undefined && { workspace }),
    room: room ?? "",
    ...(thread !== undefined && { thread }),
  };
};
