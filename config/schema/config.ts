import { z } from "zod";
import { A2aConfig, TenantConfig } from "../../core/a2a/config.ts";
import { BackboneConfig } from "../../core/backbone/config.ts";
import { AgentConfig } from "../../core/config.ts";
import { Name } from "../../core/contract/ports/token.ts";
import { PersonConfig } from "../../core/people/config.ts";
import { AdminConfig } from "./admin-config.ts";
import { ChannelConfig } from "./channel-config.ts";
import { CoreConfig, GatewayConfig } from "./gateway-config.ts";
import { LogLevel, MetricsConfig, TelemetryConfig } from "./observability-config.ts";

/** Origins of work that no channel started: see ReplyOrigin. */
const RESERVED_CHANNELS = ["scheduled", "a2a-inbound"];

const ChannelName = Name.refine((name) => !RESERVED_CHANNELS.includes(name), {
  error: "is a reserved name: rename the channel",
});

const ConfigFile = z.strictObject({
  gateway: GatewayConfig.prefault({}),
  core: CoreConfig.prefault({}),
  backbone: BackboneConfig.default("embedded"),
  dataDir: z
    .string()
    .min(1)
    .default("./data")
    .describe("Directory for stored data, relative to the working directory of the process."),
  logLevel: LogLevel.default("info"),
  telemetry: TelemetryConfig.prefault({}).describe("OpenTelemetry traces. Metrics are at /metrics."),
  metrics: MetricsConfig.prefault({}).describe("Access to /metrics, in addition to operators and this machine."),
  admin: AdminConfig.prefault({}),
  tenants: z.record(Name, TenantConfig).prefault({ default: {} }),
  people: z.array(PersonConfig).default([]),
  a2a: A2aConfig.prefault({}).describe("Remote agents: callers of our agents, and peers that our agents call."),
  agents: z.array(AgentConfig).min(1),
  channels: z.record(ChannelName, ChannelConfig).default({}).describe("Channels by name; each is one adapter."),
});

/** The whole configuration. check-references.ts checks references between its sections. */
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
