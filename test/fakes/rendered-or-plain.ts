import type { Delivery } from "../../adapters/contract/channel-adapter.ts";
import { RenderFailed, renderOrFail } from "../../adapters/contract/render-delivery.ts";

/** Renders like the relay: as plain text if the reply cannot be rendered. */
export const renderedOrPlain = <T>(delivery: Delivery, render: (delivery: Delivery) => T): T => {
  try {
    return renderOrFail(delivery, render);
  } catch (error) {
    if (!(error instanceof RenderFailed)) throw error;
    return render({ ...delivery, plain: true });
  }
};
