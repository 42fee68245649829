import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import type { DeliveryRequest } from "../../../core/contract/delivery-request.ts";
import type { Digest } from "../../../core/delivery/held/index.ts";

export type Requests = readonly [DeliveryRequest, ...DeliveryRequest[]];

export const isSome = (requests: readonly DeliveryRequest[]): requests is Requests => requests.length > 0;

/** A digest that is stored as begun, with what it is made of. */
export interface Begun {
  readonly digest: Digest;
  readonly requests: Requests;
  readonly parts: readonly Delivery[];
}
