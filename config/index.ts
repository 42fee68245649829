export { type AvailableAdapter, builtInAdapters } from "./foreign/foreign-adapter.ts";
export { loadForeignAdapters } from "./foreign/load-adapters.ts";
export {
  configFile,
  ENV_FILE,
  envFileOf,
  loadConfig,
  loadSchema,
  ownEnvironment,
  referencesOf,
  secretFilesOf,
} from "./load-config.ts";
export { parseConfig } from "./parse-config.ts";
export { ConfigInvalid, spellPath } from "./problems/problem.ts";
export type { ChannelConfig } from "./schema/channel-config.ts";
export type { Config } from "./schema/config.ts";
export type { AdminConfig, GatewayConfig, GatewayLimits } from "./schema/gateway-config.ts";
export type { LogLevel, MetricsConfig, TelemetryConfig } from "./schema/observability-config.ts";
export { type Setting, type StarterFiles, starterConfig } from "./starter-config.ts";
