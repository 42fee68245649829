import { isMembershipAdapter } from "../adapters/contract/abilities.ts";
import type { AdapterContext } from "../adapters/contract/adapter-context.ts";
import type { ChannelAdapter } from "../adapters/contract/channel-adapter.ts";
import type { AccessRules } from "../adapters/contract/config.ts";
import type { RateShare } from "../adapters/contract/rate-limit.ts";
import { commandMenu } from "../core/commands/index.ts";
import type { AgentRef } from "../core/contract/messages/addresses.ts";
import type { DeliveryDefaults } from "../core/contract/messages/delivery-policy.ts";
import { subjectsOf } from "../core/contract/messages/subjects.ts";
import { alwaysWritable, type Backbone, type WriteAvailability } from "../core/contract/ports/backbone.ts";
import type { Clock } from "../core/contract/ports/clock.ts";
import type { Logger } from "../core/contract/ports/logger.ts";
import { type Meter, noCheckpoint, type Tracer } from "../core/contract/ports/telemetry.ts";
import { type Admits, type Destination, decideTargets } from "../core/delivery/index.ts";
import { reportUndeliverable, undeliverableResultOf } from "../core/delivery/undelivered/index.ts";
import { FilesConfig, openFile } from "../core/files/index.ts";
import { privateConversationOf } from "../core/people/index.ts";
import type { BlockedAccounts } from "../core/rights/index.ts";
import { currentSession, firstSessionId } from "../core/sessions/index.ts";
import { fileLinker } from "./files/index.ts";
import { admits, anchorIn, defaultRelayLimits, type FindPermalink, type RelayContext } from "./relay/index.ts";

export interface ChannelDeps extends AgentRef {
  readonly channel: string;
  readonly publicUrl: string;
  /** The address of links to files; absent: the gateway has no public address, so there are no links. */
  readonly filesUrl?: string | undefined;
  readonly backbone: Backbone;
  /** Absent: the gateway attempts to store each message. */
  readonly writes?: WriteAvailability | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  /** Absent: no spans are recorded. */
  readonly tracer?: Tracer | undefined;
  readonly newId: () => string;
  /** Absent: no account is blocked. */
  readonly blocked?: BlockedAccounts | undefined;
  /** Absent: no limit. */
  readonly tenantStoredBytes?: number | undefined;
  readonly tenantUploads?: AdapterContext["tenantUploads"];
  readonly personBudget?: AdapterContext["personBudget"];
  readonly storedByteRates?: AdapterContext["storedByteRates"];
  readonly owner?: AdapterContext["owner"];
  /** Joins the rate limit of accounts with other gateways; absent: this one counts alone. */
  readonly messageRates?: RateShare | undefined;
}

/** The dependencies of a channel's adapter. */
export const adapterContext = ({ backbone, ...deps }: ChannelDeps): AdapterContext => ({
  ...deps,
  logger: deps.logger.child({ channel: deps.channel }),
  commands: commandMenu,
  store: backbone.store,
  openFile: (file) => openFile(backbone.store, file),
  writes: deps.writes ?? alwaysWritable,
  freeBytes: backbone.freeBytes,
  isBlocked: (accountId) => deps.blocked?.has({ ...deps, accountId }) === true,
  signal: (signal) => backbone.bus.signal(subjectsOf(deps.tenant).userSignal(deps.agent), signal),
  sessionOf: async (conversation, isNew = false) => {
    const address = { ...deps, conversation };
    return isNew ? firstSessionId(address) : currentSession(backbone.store, address);
  },
});

/** The rules of the configuration and the platform for audiences and access on a channel. */
export interface ChannelRules {
  readonly access?: AccessRules | undefined;
  /** The access rules of all channels of the agent; absent: only those of this channel. */
  readonly admits?: Admits;
  /** Answers membership questions, if its platform can. */
  readonly adapter?: ChannelAdapter;
  readonly defaultsOn?: (channel: string) => DeliveryDefaults;
  readonly findPermalink?: FindPermalink;
  /** Absent: the default limits. */
  readonly files?: FilesConfig | undefined;
  readonly leaseMs?: number;
  /** The agent's home, and which channels the agent has. */
  readonly home?: Destination | undefined;
  readonly hasChannel?: (channel: string) => boolean;
  readonly refuseIfOverloaded?: () => void;
}

/** The dependencies of a channel's relay. */
export const relayContext = ({ backbone, ...deps }: ChannelDeps, rules: ChannelRules = {}): RelayContext => {
  const { access, adapter, admits: channelAdmits = admits(access) } = rules;
  const defaultsOn: (channel: string) => DeliveryDefaults = rules.defaultsOn ?? (() => ({}));
  const {
    findPermalink = async () => undefined,
    home,
    hasChannel = () => true,
    leaseMs = defaultRelayLimits.leaseMs,
  } = rules;
  const { bus, store } = backbone;
  const localeOn = (channel: string) => defaultsOn(channel).locale;
  const reporting = { ...deps, bus, store, checkpoint: noCheckpoint, home, hasChannel, localeOn };
  const { blocked } = deps;
  const deciding = { store, clock: deps.clock, defaultsOn, admits: channelAdmits, blocked };
  return {
    ...deps,
    bus,
    store,
    checkpoint: noCheckpoint,
    random: Math.random,
    ...decideTargets({ ...deciding, ...(adapter && membershipIn(adapter)) }),
    reportUndeliverable: async (reply, target, why) => {
      const result = undeliverableResultOf(reply, target, why);
      if (result !== undefined) await reportUndeliverable(reporting, result, reply);
    },
    privateConversationOf: (channel, accountId) =>
      privateConversationOf(store, { tenant: deps.tenant, channel, accountId }),
    anchorIn: anchorIn({ ...deciding, findPermalink }),
    fileLinks: deps.filesUrl === undefined ? undefined : fileLinker({ ...deps, store, filesUrl: deps.filesUrl }),
    access,
    blocked,
    localeOn,
    refuseIfOverloaded: rules.refuseIfOverloaded,
    limits: { ...defaultRelayLimits, leaseMs },
    files: rules.files ?? FilesConfig.parse({}),
    freeBytes: backbone.freeBytes,
  };
};

const membershipIn = (adapter: ChannelAdapter) =>
  isMembershipAdapter(adapter) ? { isMember: adapter.isMember.bind(adapter) } : {};
