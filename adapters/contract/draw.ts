import { messageOf } from "../../core/contract/app-error.ts";
import type { Delivery } from "./channel-adapter.ts";
import { DeliveryFailed } from "./delivery-failed.ts";

/** A reply could not be drawn, so nothing was sent. The gateway delivers it again with `plain` set. */
export class NotDrawn extends DeliveryFailed {
  constructor(cause: unknown) {
    super("rejected", `the reply could not be drawn: ${messageOf(cause).slice(0, 200)}`, { cause });
  }
}

/** Draws a delivery before anything is sent: whatever fails here is certainly not on the platform. */
export const draw = <T>(delivery: Delivery, render: (delivery: Delivery) => T): T => {
  try {
    return render(delivery);
  } catch (error) {
    throw error instanceof DeliveryFailed ? error : new NotDrawn(error);
  }
};
