export type { RelayContext } from "./context.ts";
export { defaultRelayLimits } from "./context.ts";
export { admits, admitsOn, deliveryDefaults, limitedAccess } from "./inbound/channel-rules.ts";
export { Backpressure } from "./inbound/inbox.ts";
export { relayDurable } from "./outbox/fan-out.ts";
export { type RunningChannel, runChannel } from "./run-channel.ts";
export { anchorIn, type FindPermalink, findPermalink } from "./sending/anchor-in.ts";
export { outboxDurable } from "./sending/outcomes.ts";
