export type { RelayContext } from "./context.ts";
export { defaultRelayLimits } from "./context.ts";
export { admits } from "./inbound/access-check.ts";
export { Backpressure } from "./inbound/backpressure.ts";
export { relayDurable } from "./outbox/fan-out.ts";
export { type RunningChannel, runChannel } from "./run-channel.ts";
export { outboxDurable } from "./sending/outcomes.ts";
export { withinDeadline } from "./within-deadline.ts";
