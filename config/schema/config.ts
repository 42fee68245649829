import { z } from "zod";
import { A2aConfig, TenantConfig } from "../../core/a2a/config.ts";
import { BackboneConfig } from "../../core/backbone/config.ts";
import { PricesConfig } from "../../core/budgets/config.ts";
import { AgentConfig } from "../../core/config.ts";
import { TimeZone } from "../../core/contract/messages/delivery-policy.ts";
import { Name } from "../../core/contract/ports/token.ts";
import { OwnerConfig, PersonConfig } from "../../core/people/config.ts";
import { GroupsConfig } from "../../core/rights/config.ts";
import { AdapterCatalogue, type ForeignAdapters, NO_FOREIGN_ADAPTERS } from "../foreign/foreign-adapter.ts";
import { channelSchema } from "./channel-config.ts";
import { AdminConfig, CoreConfig, GatewayConfig } from "./gateway-config.ts";
import { ModerationConfig } from "./moderation-config.ts";
import { LogLevel, MetricsConfig, TelemetryConfig } from "./observability-config.ts";
import { ownerAccounts } from "./owner-access.ts";

/** Origins of work that no channel started: see ReplyOrigin. */
const RESERVED_CHANNELS = ["scheduled", "a2a-inbound"];

const ChannelName = Name.refine((name) => !RESERVED_CHANNELS.includes(name), {
  error: "is a reserved name: rename the channel",
});

const configFile = (foreign: ForeignAdapters) =>
  z.strictObject({
    gateway: GatewayConfig.prefault({}).describe("HTTP server of the gateway."),
    core: CoreConfig.prefault({}).describe("HTTP server for health and metrics of a separate core."),
    backbone: BackboneConfig.default("embedded"),
    dataDir: z
      .string()
      .min(1)
      .default("./data")
      .describe("Directory for stored data, relative to the working directory of the process."),
    timeZone: TimeZone.optional().describe(
      "Time zone of people whose own zone is unknown, on channels without `timeZone`. Default: UTC.",
    ),
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
    owner: OwnerConfig.optional().describe(
      "Personal mode: this person is the only one who may talk to the agents, and sees answers on all channels.",
    ),
    groups: GroupsConfig.prefault({}).describe(
      "Groups for `rights`, by name: people by name, or accounts as <channel>:<account>. The group `operator` is a class.",
    ),
    a2a: A2aConfig.prefault({}).describe("Remote agents: callers of our agents, and peers that our agents call."),
    moderation: ModerationConfig.optional().describe("A check of your own that may refuse messages and answers."),
    agents: z.array(AgentConfig).min(1).describe("The agents of the deployment."),
    channels: z
      .record(ChannelName, channelSchema(foreign))
      .default({})
      .describe("Channels by name; each is one adapter."),
  });

/** The whole configuration. check-references.ts checks references between its sections. */
export const configSchema = (foreign: ForeignAdapters) =>
  configFile(foreign).transform(({ channels, people, ...rest }) => {
    const adapters = new AdapterCatalogue(foreign);
    return {
      ...rest,
      /** The declared people, the owner among them. */
      people:
        rest.owner === undefined
          ? people
          : [...people, { name: rest.owner.name, accounts: ownerAccounts(rest.owner.accounts, channels, adapters) }],
      channels: Object.fromEntries(
        Object.entries(channels).map(([name, channel]) => [
          name,
          { ...channel, agent: channel.agent ?? rest.agents[0]?.name ?? "" },
        ]),
      ),
      /** All adapters that channels can name: the built-in ones, and those that the file has loaded. */
      adapters,
    };
  });

export const Config = configSchema(NO_FOREIGN_ADAPTERS);
export type Config = z.infer<typeof Config>;
