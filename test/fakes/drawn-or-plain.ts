import type { Delivery } from "../../adapters/contract/channel-adapter.ts";
import { draw, NotDrawn } from "../../adapters/contract/render-delivery.ts";

/** As the relay does it: drawn, or plain if it cannot be drawn. */
export const drawnOrPlain = <T>(delivery: Delivery, render: (delivery: Delivery) => T): T => {
  try {
    return draw(delivery, render);
  } catch (error) {
    if (!(error instanceof NotDrawn)) throw error;
    return render({ ...delivery, plain: true });
  }
};
