export { admits, admitsOn, deliveryDefaults, limitedAccess } from "./channel-rules.ts";
export type { FileLinker, RelayContext } from "./context.ts";
export { defaultRelayLimits } from "./context.ts";
export { relayDurable } from "./fan-out.ts";
export { Backpressure } from "./inbox.ts";
export { type ChannelHealth, type RunningChannel, runChannel } from "./run-channel.ts";
export { anchorIn, type FindPermalink, findPermalink } from "./sending/anchor-in.ts";
export { outboxDurable } from "./sending/outcomes.ts";
export { StandingAdapter } from "./standing-adapter.ts";
