import { messageOf } from "../../core/contract/app-error.ts";
import { brand } from "../../core/contract/brand.ts";
import type { ReplyAction } from "../../core/contract/messages/agent-reply.ts";
import type { Delivery } from "./channel-adapter.ts";
import { DeliveryFailed } from "./delivery-failed.ts";

/** The adapter could not render the reply, so it sent nothing. The gateway delivers it again with `plain` set. */
export class RenderFailed extends DeliveryFailed {
  constructor(cause: unknown) {
    super("rejected", `the reply could not be rendered: ${messageOf(cause).slice(0, 200)}`, { cause });
  }
}
brand(RenderFailed, "RenderFailed");

/** Renders a delivery before the adapter sends anything, so that a rendering failure is never "unknown". */
export const renderOrFail = <T>(delivery: Delivery, render: (delivery: Delivery) => T): T => {
  try {
    return render(delivery);
  } catch (error) {
    throw error instanceof DeliveryFailed ? error : new RenderFailed(error);
  }
};

/** The buttons of a delivery: below the last part of a reply, and below each part of a digest. */
export const offeredActions = ({ reply, part, sections }: Delivery): readonly ReplyAction[] =>
  sections !== undefined || part.index === part.count - 1 ? (reply.actions ?? []) : [];
