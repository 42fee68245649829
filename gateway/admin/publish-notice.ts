import type { AgentRef } from "../../core/contract/messages/addresses.ts";
import type { Audience } from "../../core/contract/messages/work-context.ts";
import { isoTime } from "../../core/contract/ports/clock.ts";
import { publishReply } from "../../core/delivery/index.ts";
import type { AdminDeps } from "./admin-request.ts";

/** A message from an operator, which belongs to no session. */
interface OperatorNotice extends AgentRef {
  readonly id: string;
  readonly markdown: string;
  readonly audience: Audience;
  readonly traceId: string;
}

export const publishNotice = (
  { bus, clock }: Pick<AdminDeps, "bus" | "clock">,
  notice: OperatorNotice,
): Promise<void> =>
  publishReply(bus, { ...notice, kind: "notice", sessionId: null, origin: null, createdAt: isoTime(clock.now()) });
