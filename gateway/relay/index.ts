export { admits } from "./admits.ts";
export { CrowdCheck } from "./crowd-check.ts";
export { defaultRelayLimits } from "./default-relay-limits.ts";
export { relayDurable } from "./fan-out.ts";
export { outboxDurable } from "./outbox-durable.ts";
export type { RelayContext } from "./relay-context.ts";
export { type RunningChannel, runChannel } from "./run-channel.ts";
export { withinDeadline } from "./within-deadline.ts";
