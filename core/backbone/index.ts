export type { BackboneConfig } from "./config.ts";
export { backup, inspectNats, openBackbone, restore } from "./drivers.ts";
export { mayStoreConflicts } from "./nats/conflicting-writes.ts";
export type { NatsInspection, StreamState } from "./nats/inspect-nats.ts";
