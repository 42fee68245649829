import type { Conversation } from "../../../core/contract/conversation.ts";
import { sameConversation } from "../../../core/contract/conversation.ts";
import type { DeliveryRequest } from "../../../core/contract/delivery-request.ts";
import { type HeldItem, heldRequestKey } from "../../../core/delivery/held/index.ts";
import type { RelayContext } from "../relay-context.ts";

export interface Sorted {
  /** To be sent now, in order. */
  readonly due: readonly DeliveryRequest[];
  /** To be kept back for longer: quiet hours have begun meanwhile. */
  readonly later: ReadonlyMap<string, number>;
  /** Not to be shown there any more, or not kept any more. */
  readonly lost: readonly { readonly id: string; readonly request: DeliveryRequest | undefined }[];
}

/** What is to become of items that are kept back, by what holds today (D2, D3). */
export const sortItems = async (
  context: RelayContext,
  target: Conversation,
  items: readonly HeldItem[],
): Promise<Sorted> => {
  const { store, clock } = context;
  const now = clock.now();
  const due: DeliveryRequest[] = [];
  const later = new Map<string, number>();
  const lost: { id: string; request: DeliveryRequest | undefined }[] = [];
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
