import type { DeliveryRequest } from "../../../core/contract/delivery-request.ts";
import { hasNothingToShow } from "../has-nothing-to-show.ts";
import type { Ledger } from "../ledger.ts";

/**
 * An answer without words ends a wait and shows nothing (B7). Unless it was begun: what people see of it must not look
 * unfinished for ever. Undefined: there is nothing to show, and from now on nothing is begun.
 */
export const withWords = async (ledger: Ledger, request: DeliveryRequest): Promise<DeliveryRequest | undefined> => {
  const { reply, target } = request;
  if (!hasNothingToShow(reply)) return request;
  if (await ledger.withdraw({ reply, target, part: { index: 0 } })) return undefined;
  return { ...request, reply: { ...reply, markdown: NOTHING_MORE } };
};

const NOTHING_MORE = "There is nothing to say about this.";
