import { type Conversation, sameConversation } from "../../../core/contract/messages/conversation.ts";
import type { ReplyRequest } from "../../../core/contract/messages/delivery-request.ts";
import { ack, type Outcome } from "../../../core/contract/ports/bus.ts";
import type { HeldItem } from "../../../core/delivery/undelivered/index.ts";
import { addHeld, heldRequestKey, readHeld } from "../../../core/delivery/undelivered/index.ts";
import type { RelayContext } from "../context.ts";
import type { Ledger } from "../sending/ledger.ts";
import { setWakeUp, withWakeUp } from "./wake-up.ts";

/**
 * Holds a proactive message for a digest in quiet hours and when it is late (D2, D5). Undefined: send it now. A message
 * that people may already see in part is never held.
 */
export const holdBack = async (
  context: RelayContext,
  ledger: Ledger,
  request: ReplyRequest,
): Promise<Outcome | undefined> => {
  const { clock, limits } = context;
  const { reply, target, holdUntil = 0 } = request;
  const now = clock.now();
  const isLate = now - Date.parse(reply.createdAt) >= limits.digestAfterMs;
  if (holdUntil <= now && !isLate && !(await isBehindOthers(context, request, now))) return undefined;
  if (!(await ledger.withdraw({ reply, target, part: { index: 0 } }))) return undefined;
  await context.checkpoint("held.withdrawn");
  return hold(context, request, holdUntil > now ? holdUntil : 0);
};

/** Earlier messages wait for the platform, and this one must not overtake them. */
const isBehindOthers = async ({ store }: RelayContext, { target }: ReplyRequest, now: number): Promise<boolean> =>
  (await readHeld(store, target)).items.some(({ notBefore }) => notBefore <= now);

/** Adds a withdrawn request to the held ones. Idempotent. */
export const hold = async (context: RelayContext, request: ReplyRequest, notBefore: number): Promise<Outcome> => {
  const { store, clock, limits, checkpoint, logger } = context;
  const { id, target, reply } = request;
  const now = clock.now();
  await store.put(heldRequestKey(target, id), request);
  await checkpoint("held.stored");
  const at = notBefore || now + limits.gatherMs;
  const { record, isNew } = await addHeld(store, request, { now, notBefore }, (held) => withWakeUp(held, at, now));
  await checkpoint("held.noted");
  // The process that noted it first may have crashed before it set the wake-up.
  await setWakeUp(context, target, record);
  if (isNew)
    logger.info({ channel: target.channel, delivery: id, traceId: reply.traceId }, "delivery held for a digest");
  return ack;
};

interface Sorted {
  /** Send now, in order. */
  readonly due: readonly ReplyRequest[];
  /** Hold until the given time: quiet hours have begun meanwhile. */
  readonly later: ReadonlyMap<string, number>;
  /** The target has left the audience, or the stored request has expired. */
  readonly lost: readonly { readonly id: string; readonly request: ReplyRequest | undefined }[];
}

/** Sorts held items by today's audience and quiet hours (D2, D3). */
export const sortItems = async (
  context: RelayContext,
  target: Conversation,
  items: readonly HeldItem[],
): Promise<Sorted> => {
  const { store, clock } = context;
  const now = clock.now();
  const due: ReplyRequest[] = [];
  const later = new Map<string, number>();
  const lost: { id: string; request: ReplyRequest | undefined }[] = [];
  for (const { id } of items) {
    const request = (await store.get(heldRequestKey(target, id)))?.value;
    if (request === undefined || !(await context.isStillTarget(request.reply, target))) {
      lost.push({ id, request });
      continue;
    }
    const targets = await context.targetsOn(target.channel, request.reply);
    const { holdUntil = 0 } = targets.find(({ conversation }) => sameConversation(conversation, target)) ?? {};
    if (holdUntil > now) later.set(id, holdUntil);
    else due.push(request);
  }
  return { due, later, lost };
};
