import type { Outcome } from "../../../core/contract/bus.ts";
import { ack } from "../../../core/contract/bus.ts";
import { isoTime } from "../../../core/contract/clock.ts";
import type { DeliveryRequest } from "../../../core/contract/delivery-request.ts";
import { changeHeld, type HeldItem, heldRequestKey, readHeld } from "../../../core/delivery/held/index.ts";
import type { Ledger } from "../ledger.ts";
import type { RelayContext } from "../relay-context.ts";
import { setWakeUp, withWakeUp } from "./wake-up.ts";

/**
 * Keeps back what nobody waits for, if it is quiet hours or if it is late: then it comes with the others in one digest
 * (D2, D5). Undefined: it is to be sent now. What may be seen already, in part, is never kept back.
 */
export const holdBack = async (
  context: RelayContext,
  ledger: Ledger,
  request: DeliveryRequest,
): Promise<Outcome | undefined> => {
  const { clock, limits } = context;
  const { reply, target, holdUntil = 0 } = request;
  if (!isDigestible(request)) return undefined;
  const now = clock.now();
  const isLate = now - Date.parse(reply.createdAt) >= limits.digestAfterMs;
  if (holdUntil <= now && !isLate && !(await isBehindOthers(context, request, now))) return undefined;
  if (!(await ledger.withdraw({ reply, target, part: { index: 0 } }))) return undefined;
  await context.checkpoint("held.withdrawn");
  return hold(context, request, holdUntil > now ? holdUntil : 0);
};

/** Somebody who waits, and who has asked for it to be sent again, gets it as soon as it can be had. */
const isDigestible = ({ reply, byHand }: DeliveryRequest): boolean =>
  reply.kind === "final" && reply.correlationId === undefined && byHand !== true;

/** Earlier ones wait for the platform already: it is not to overtake them. */
const isBehindOthers = async ({ store }: RelayContext, { target }: DeliveryRequest, now: number): Promise<boolean> =>
  (await readHeld(store, target)).items.some(({ notBefore }) => notBefore <= now);

/** Puts it with the others that are kept back, unless it is among them already. It must have been withdrawn. */
export const hold = async (context: RelayContext, request: DeliveryRequest, notBefore: number): Promise<Outcome> => {
  const { store, clock, limits, checkpoint, logger } = context;
  const { id, target, reply } = request;
  const now = clock.now();
  await store.put(heldRequestKey(target, id), request);
  await checkpoint("held.stored");
  let isNew = false;
  const record = await changeHeld(store, target, (before) => {
    isNew = !before.items.some((item) => item.id === id);
    if (!isNew) return before;
    const item: HeldItem = { id, heldAt: isoTime(now), notBefore };
    const at = notBefore || now + limits.gatherMs;
    return withWakeUp({ ...before, items: [...before.items, item] }, at, now);
  });
  await checkpoint("held.noted");
  // One that was noted before may have died before it could set the wake-up.
  await setWakeUp(context, target, record);
  if (isNew) logger.info({ channel: target.channel, delivery: id, traceId: reply.traceId }, "kept back for a digest");
  return ack;
};
