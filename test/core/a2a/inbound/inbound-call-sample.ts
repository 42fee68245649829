import type { InboundCall } from "../../../../core/contract/messages/inbound-call.ts";
import { AGENT } from "../../core-under-test.ts";

export const inboundCall: InboundCall = {
  tenant: "default",
  agent: AGENT,
  caller: "crm",
  id: "task-1",
  contextId: "context-1",
  said: { id: "message-1", from: "caller", text: "how many boats?" },
  sentAt: "2026-03-10T21:14:00.000Z",
};
