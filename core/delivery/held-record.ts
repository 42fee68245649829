import { z } from "zod";
import { Anchor } from "../contract/anchor.ts";
import { RevisionConflict } from "../contract/app-error.ts";
import { collection, keyOf } from "../contract/collection.ts";
import type { Conversation } from "../contract/conversation.ts";
import { conversationKey } from "../contract/conversation.ts";
import { DeliveryRequest } from "../contract/delivery-request.ts";
import type { Store } from "../contract/store.ts";
import { stableId } from "../lib/index.ts";

/** A delivery that is kept back, to come with others in one digest. */
export const HeldItem = z.looseObject({
  /** Of its request. */
  id: z.string(),
  heldAt: z.iso.datetime(),
  /** The end of quiet hours, in milliseconds since 1970; 0: it only waits for its platform. */
  notBefore: z.number(),
});
export type HeldItem = z.infer<typeof HeldItem>;

/** A piece of one item. The last piece has the item's anchor, if the channel draws that itself. */
export const DigestSection = z.looseObject({
  /** The item's place in the digest, from 1, as people see it. */
  number: z.int(),
  markdown: z.string(),
  anchor: Anchor.nullable(),
});
export type DigestSection = z.infer<typeof DigestSection>;

/** One message of a digest, and which items it shows something of. */
export const DigestPart = z.looseObject({ sections: z.array(DigestSection), itemIds: z.array(z.string()) });
export type DigestPart = z.infer<typeof DigestPart>;

/** The parts are those of several items; one that is alone is sent as itself, and has none. */
export const Digest = z.looseObject({ number: z.int(), itemIds: z.array(z.string()), parts: z.array(DigestPart) });
export type Digest = z.infer<typeof Digest>;

/** What is kept back for one conversation. One key, so that nothing is in two digests. */
export const HeldRecord = z.looseObject({
  /** Oldest first. */
  items: z.array(HeldItem),
  /** The latest digest that was begun. As soon as its platform may have a part of it, its words stay as they are. */
  digest: Digest.optional(),
  digests: z.int(),
  /** Of sending what is due, since something was last sent. */
  attempts: z.int(),
  /** Wake-ups asked for so far, and when the latest one comes. */
  wakes: z.int(),
  wakeAt: z.number().optional(),
});
export type HeldRecord = z.infer<typeof HeldRecord>;

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const records = collection("held", HeldRecord);
const requests = collection("held-requests", DeliveryRequest, { ttlMs: THIRTY_DAYS_MS });

const recordKey = (target: Conversation) => keyOf(records, conversationKey(target));
export const heldRequestKey = (target: Conversation, requestId: string) =>
  keyOf(requests, conversationKey(target), stableId("h", requestId));

const nothing: HeldRecord = { items: [], digests: 0, attempts: 0, wakes: 0 };

export const readHeld = async (store: Store, target: Conversation): Promise<HeldRecord> =>
  (await store.get(recordKey(target)))?.value ?? nothing;

/** Changes what is stored now, whoever else writes meanwhile; the same record back: nothing to write. */
export const changeHeld = async (
  store: Store,
  target: Conversation,
  change: (record: HeldRecord) => HeldRecord,
): Promise<HeldRecord> => {
  for (;;) {
    const stored = await store.get(recordKey(target));
    const before = stored?.value ?? nothing;
    const after = change(before);
    if (after === before) return before;
    try {
      await store.put(recordKey(target), after, { ifRevision: stored?.revision ?? 0 });
      return after;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};
