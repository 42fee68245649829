import { z } from "zod";
import { adapters } from "../../adapters/adapter-list.ts";
import { A2aConfig, TenantConfig } from "../../core/a2a/config.ts";
import { BackboneConfig } from "../../core/backbone/config.ts";
import { PricesConfig } from "../../core/budgets/config.ts";
import { AgentConfig } from "../../core/config.ts";
import { Name } from "../../core/contract/ports/token.ts";
import { PersonConfig } from "../../core/people/config.ts";
import { GroupsConfig } from "../../core/rights/config.ts";
import { AdminConfig, CoreConfig, GatewayConfig } from "./gateway-config.ts";
import { ModerationConfig } from "./moderation-config.ts";
import { LogLevel, MetricsConfig, TelemetryConfig } from "./observability-config.ts";

type Schema = (typeof adapters)[number]["config"];

/** Sorted by name, for stable output of the JSON schema and of error messages. */
const schemas = [...adapters].sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ config }) => config);

export const ChannelConfig = z.discriminatedUnion("adapter", schemas as [Schema, ...Schema[]]);
export type ChannelConfig = z.infer<typeof ChannelConfig>;

/** Origins of work that no channel started: see ReplyOrigin. */
const RESERVED_CHANNELS = ["scheduled", "a2a-inbound"];

const ChannelName = Name.refine((name) => !RESERVED_CHANNELS.includes(name), {
  error: "is a reserved name: rename the channel",
});

const ConfigFile = z.strictObject({
  gateway: GatewayConfig.prefault({}).describe("HTTP server of the gateway."),
  core: CoreConfig.prefault({}).describe("HTTP server for health and metrics of a separate core."),
  backbone: BackboneConfig.default("embedded"),
  dataDir: z
    .string()
    .min(1)
    .default("./data")
    .describe("Directory for stored data, relative to the working directory of the process."),
  logLevel: LogLevel.default("info"),
  telemetry: TelemetryConfig.prefault({}).describe("OpenTelemetry traces. Metrics are at /metrics."),
  metrics: MetricsConfig.prefault({}).describe("Access to /metrics, in addition to operators and this machine."),
  admin: AdminConfig.prefault({}).describe("Access of operators."),
  tenants: z
    .record(Name, TenantConfig)
    .prefault({ default: {} })
    .describe("Tenants by name; agents, channels and people of one tenant see nothing of another."),
  prices: PricesConfig.default({}).describe(
    "Prices of models by label, as logs and metrics show it; a model without a price has no cost.",
  ),
  people: z.array(PersonConfig).default([]).describe("People with accounts on several channels."),
  groups: GroupsConfig.prefault({}).describe(
    "Groups for `rights`, by name: people by name, or accounts as <channel>:<account>. The group `operator` is a class.",
  ),
  a2a: A2aConfig.prefault({}).describe("Remote agents: callers of our agents, and peers that our agents call."),
  moderation: ModerationConfig.optional().describe("A check of your own that may refuse messages and answers."),
  agents: z.array(AgentConfig).min(1).describe("The agents of the deployment."),
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
