import { AgentReply } from "./agent-reply.ts";
import { DeliveryRequest } from "./delivery-request.ts";
import { subject } from "./subject.ts";
import { UserMessage } from "./user-message.ts";
import { UserSignal } from "./user-signal.ts";

/** Every subject there is, and the only place where one is spelled. */
export const subjectsOf = (tenant: string) => ({
  /** key: conversation. Gateway inbox → core intake. */
  userMessage: (agent: string) => subject(tenant, "user.message", UserMessage, agent),
  /** key: origin conversation. Core → every channel's relay, each with a durable of its own. */
  userResponse: (agent: string) => subject(tenant, "user.response", AgentReply, agent),
  /** key: target conversation. A channel's relay → the gateway that may send there. */
  delivery: (channel: string) => subject(tenant, "delivery", DeliveryRequest, channel),
  /** Not stored. Deltas, typing, new log entries → all gateways. */
  userSignal: (agent: string) => subject(tenant, "user.signal", UserSignal, agent),
});
