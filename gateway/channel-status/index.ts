export { type ChannelRef, type ChannelState, liveGateways, pauseKey, readStatus } from "./channel-record.ts";
export { ChannelReporter } from "./channel-reporter.ts";
export { ChannelTraffic } from "./channel-traffic.ts";
export { watchChannel } from "./channel-watch.ts";
