export type { BackboneConfig } from "./config.ts";
export { backupDatabase, inspectNats, openBackbone, restoreDatabase } from "./drivers.ts";
export { mayStoreConflicts } from "./nats/conflicting-writes.ts";
export type { NatsInspection } from "./nats/inspect/inspect-nats.ts";
export type { StreamState } from "./nats/inspect/read-streams.ts";
