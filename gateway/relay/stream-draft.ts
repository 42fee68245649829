import type { Capabilities, Delivery } from "../../adapters/contract/channel-adapter.ts";
import { withFenceClosed } from "../../adapters/contract/markdown/split-markdown.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import { deliveryParts } from "./delivery-parts.ts";

/**
 * How a reply begins, shown in place of its first part. Its id is its own: the platform must not take the whole for a
 * repeat of it.
 */
export interface Beginning extends Delivery {
  readonly isBeginning: true;
}

export const isBeginning = (delivery: Delivery): delivery is Beginning => "isBeginning" in delivery;

/** As much of it as fits into one message, and a sign that more is to come. */
export const beginningOf = (request: DeliveryRequest, capabilities: Capabilities): Beginning => {
  const { maxPartLength = Number.POSITIVE_INFINITY } = capabilities;
  const [first] = deliveryParts(request, { ...capabilities, maxPartLength: maxPartLength - MORE_ROOM }, null);
  return asBeginning(request, withMore(first?.part.markdown ?? ""));
};

/** The beginning that was sent, or may have been, of a reply that is now known. */
export const sentBeginning = ({ id, reply, target }: Delivery, markdown: string, sentAt: string): Beginning => {
  const { actions: _, data: __, ...rest } = reply;
  return asBeginning({ id: id.replace(/\/0$/, ""), reply: { ...rest, createdAt: sentAt }, target }, markdown);
};

const asBeginning = ({ id, reply, target }: DeliveryRequest, markdown: string): Beginning => ({
  id: `${id}/beginning`,
  reply,
  target,
  part: { index: 0, count: 1, markdown },
  anchor: null,
  mayRepeat: false,
  isBeginning: true,
});

const withMore = (markdown: string): string => {
  const text = markdown.trimEnd();
  const closed = withFenceClosed(text);
  return closed === text ? `${text} …` : `${closed}\n…`;
};

/** What closing a fence and the sign take. */
const MORE_ROOM = 20;
