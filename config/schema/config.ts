import { z } from "zod";
import { A2aConfig, TenantConfig } from "../../core/a2a/config.ts";
import { BackboneConfig } from "../../core/backbone/config.ts";
import { AgentConfig } from "../../core/config.ts";
import { Name } from "../../core/contract/token.ts";
import { PersonConfig } from "../../core/people/config.ts";
import { AdminConfig } from "./admin-config.ts";
import { ChannelConfig } from "./channel-config.ts";
import { CoreConfig, GatewayConfig } from "./gateway-config.ts";
import { LogLevel, MetricsConfig, TelemetryConfig } from "./observability-config.ts";

/** Origins of work that is begun by no channel: see ReplyOrigin. */
const RESERVED_CHANNELS = ["scheduled", "a2a-inbound"];

const ChannelName = Name.refine((name) => !RESERVED_CHANNELS.includes(name), {
  error: "is a reserved name: call the channel something else",
});

const ConfigFile = z.strictObject({
  gateway: GatewayConfig.prefault({}),
  core: CoreConfig.prefault({}),
  backbone: BackboneConfig.default("embedded"),
  dataDir: z.string().min(1).default("./data").describe("Relative to the directory that Mooring is started in."),
  logLevel: LogLevel.default("info"),
  telemetry: TelemetryConfig.prefault({}).describe("Traces for OpenTelemetry. Metrics are at /metrics."),
  metrics: MetricsConfig.prefault({}).describe("Who may read /metrics, besides operators and this machine itself."),
  admin: AdminConfig.prefault({}),
  tenants: z.record(Name, TenantConfig).prefault({ default: {} }),
  people: z.array(PersonConfig).default([]),
  a2a: A2aConfig.prefault({}).describe("Agents elsewhere: who may call ours, and whom ours may call."),
  agents: z.array(AgentConfig).min(1),
  channels: z.record(ChannelName, ChannelConfig).default({}).describe("Channels by name; each is one adapter."),
});

/** The whole configuration. What one file must agree with itself about is in check-references.ts. */
export const Config = ConfigFile.transform(({ channels, ...rest }) => ({
  ...rest,
  channels: Object.fromEntries(
    Object.entries(channels).map(([name, channel]) => [
      name,
      { ...channel, agent: channel.agent ?? rest.agents[0]?.name ?? "" },
    ]),
  ),
}));
export type Config = z.infer<typeof Config>;
