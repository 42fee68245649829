import { z } from "zod";
import { Anchor } from "../../contract/messages/agent-reply.ts";
import { type Conversation, conversationKey, sameConversation } from "../../contract/messages/conversation.ts";
import { type OutgoingReply, ReplyRequest } from "../../contract/messages/delivery-request.ts";
import { Audience } from "../../contract/messages/work-context.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../../contract/ports/store.ts";
import { update } from "../../contract/ports/update.ts";
import { stableId } from "../../lib/index.ts";

/** A delivery that waits for the next digest. */
export const HeldItem = z.looseObject({
  /** The id of its delivery request. */
  id: z.string(),
  heldAt: z.iso.datetime(),
  /** The end of quiet hours, in milliseconds since 1970; 0 if the delivery only waits for its platform. */
  notBefore: z.number(),
  /** For `why`; items of 0.1.0 have none of these. */
  replyId: z.string().optional(),
  summary: z.string().optional(),
  audience: Audience.optional(),
});
export type HeldItem = z.infer<typeof HeldItem>;

const heldItem = ({ id, reply }: OutgoingReply, { now, notBefore }: HoldTimes): HeldItem => ({
  id,
  heldAt: isoTime(now),
  notBefore,
  replyId: reply.id,
  ...(reply.origin !== null && { summary: reply.origin.promptSummary }),
  audience: reply.audience,
});

/** A piece of one item. The last piece carries the item's anchor, if the channel renders anchors itself. */
export const DigestSection = z.looseObject({
  /** The item's number in the digest, from 1, as people see it. */
  number: z.int(),
  markdown: z.string(),
  anchor: Anchor.nullable(),
});
export type DigestSection = z.infer<typeof DigestSection>;

/** One message of a digest, and the items that it shows a piece of. */
export const DigestPart = z.looseObject({ sections: z.array(DigestSection), itemIds: z.array(z.string()) });
export type DigestPart = z.infer<typeof DigestPart>;

/** A digest of one item has no parts, because the item is sent as an ordinary reply. */
export const Digest = z.looseObject({ number: z.int(), itemIds: z.array(z.string()), parts: z.array(DigestPart) });
export type Digest = z.infer<typeof Digest>;

/** The held deliveries of one conversation, under one key, so that no item is in two digests. */
export const HeldRecord = z.looseObject({
  /** Oldest first. */
  items: z.array(HeldItem),
  /** The latest digest. Its text is frozen as soon as the platform may have a part of it. */
  digest: Digest.optional(),
  digests: z.int(),
  /** Attempts to send due items since the last success. */
  attempts: z.int(),
  /** The number of wake-ups requested so far; `wakeAt` is the time of the latest. */
  wakes: z.int(),
  wakeAt: z.number().optional(),
  /** In the record of a private room without a thread: its threads with held deliveries, the latest last. */
  threads: z.array(z.string()).optional(),
});
export type HeldRecord = z.infer<typeof HeldRecord>;

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const records = collection("held", HeldRecord);
const requests = collection("held-requests", ReplyRequest, { ttlMs: THIRTY_DAYS_MS });

const recordKey = (target: Conversation) => keyOf(records, conversationKey(target));
export const heldRequestKey = (target: Conversation, requestId: string) =>
  keyOf(requests, conversationKey(target), stableId("h", requestId));

const EMPTY: HeldRecord = { items: [], digests: 0, attempts: 0, wakes: 0 };

export const readHeld = async (store: Store, target: Conversation): Promise<HeldRecord> =>
  (await store.get(recordKey(target)))?.value ?? EMPTY;

/** Resolves to the stored record; writes nothing if `change` returns the same object. */
export const changeHeld = async (
  store: Store,
  target: Conversation,
  change: (record: HeldRecord) => HeldRecord,
): Promise<HeldRecord> => {
  const { after } = await update(store, recordKey(target), change, { initial: EMPTY });
  return after;
};

interface HoldTimes {
  readonly now: number;
  /** As in the item. */
  readonly notBefore: number;
}

/** Adds a delivery to the held ones; `isNew` is false if it was among them. `also` changes the record in the same write. */
export const addHeld = async (
  store: Store,
  request: OutgoingReply,
  times: HoldTimes,
  also: (record: HeldRecord) => HeldRecord = (record) => record,
): Promise<{ record: HeldRecord; isNew: boolean }> => {
  let isNew = false;
  const record = await changeHeld(store, request.target, (before) => {
    isNew = !before.items.some(({ id }) => id === request.id);
    return isNew ? also({ ...before, items: [...before.items, heldItem(request, times)] }) : before;
  });
  // A process that crashed before this write gets the request again.
  await indexThread(store, request.target);
  return { record, isNew };
};

/** Lists the thread in the record of its private room: a person's surface names only the thread that they wrote in last. */
const indexThread = async (store: Store, { thread, ...room }: Conversation): Promise<void> => {
  if (thread === undefined || room.kind === "shared") return;
  await changeHeld(store, room, (record) => {
    const { threads = [] } = record;
    if (threads.at(-1) === thread) return record;
    return { ...record, threads: [...threads.filter((each) => each !== thread), thread].slice(-MAX_THREADS) };
  });
};

/** Limits the reads of `status` and `why`. */
const MAX_THREADS = 50;

/** The held deliveries of one conversation. */
export interface HeldIn {
  readonly target: Conversation;
  readonly items: readonly HeldItem[];
}

/** The held deliveries of a private conversation and of the other threads of its room; of a shared one only its own. */
export const readHeldInRoom = async (store: Store, conversation: Conversation): Promise<HeldIn[]> => {
  const { thread: _, ...room } = conversation;
  const { threads = [] } = conversation.kind === "private" ? await readHeld(store, room) : {};
  const others = conversation.kind === "private" ? [room, ...threads.map((thread) => ({ ...room, thread }))] : [];
  const targets = [conversation, ...others.filter((other) => !sameConversation(other, conversation))];
  return Promise.all(targets.map(async (target) => ({ target, items: (await readHeld(store, target)).items })));
};
