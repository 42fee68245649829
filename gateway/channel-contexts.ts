import { adapters } from "../adapters/adapter-list.ts";
import { isMembershipAdapter } from "../adapters/contract/abilities.ts";
import type { AdapterContext } from "../adapters/contract/adapter-context.ts";
import type { AdapterDefinition } from "../adapters/contract/adapter-definition.ts";
import type { ChannelAdapter } from "../adapters/contract/channel-adapter.ts";
import type { AccessRules } from "../adapters/contract/config.ts";
import type { ChannelConfig } from "../config/index.ts";
import { commandMenu } from "../core/commands/index.ts";
import { AppError } from "../core/contract/app-error.ts";
import type { AgentRef } from "../core/contract/messages/addresses.ts";
import type { Conversation } from "../core/contract/messages/conversation.ts";
import { subjectsOf } from "../core/contract/messages/subjects.ts";
import { alwaysWritable, type Backbone, type WriteAvailability } from "../core/contract/ports/backbone.ts";
import type { Clock } from "../core/contract/ports/clock.ts";
import type { Logger } from "../core/contract/ports/logger.ts";
import { type Meter, noCheckpoint, type Tracer } from "../core/contract/ports/telemetry.ts";
import type { Admits, Destination } from "../core/delivery/index.ts";
import { afterRefusal, isStillTarget, type TargetDeps, targetsOn } from "../core/delivery/targets/index.ts";
import { reportUndeliverable, undeliverableResultOf } from "../core/delivery/undelivered/index.ts";
import type { BlockedAccounts } from "../core/people/abuse/index.ts";
import { privateConversationOf } from "../core/people/index.ts";
import { currentSession, firstSessionId } from "../core/sessions/index.ts";
import { admits, anchorIn, defaultRelayLimits, type FindPermalink, type RelayContext } from "./relay/index.ts";

export const createAdapter = async (config: ChannelConfig, context: AdapterContext): Promise<ChannelAdapter> => {
  const found = adapters.find(({ id }) => id === config.adapter);
  if (found === undefined) throw new AppError("bad-configuration", `unknown adapter "${config.adapter}"`);
  return (found as AdapterDefinition).create(config, context);
};

export interface ChannelDeps extends AgentRef {
  readonly channel: string;
  readonly publicUrl: string;
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
}

/** The dependencies of a channel's adapter. */
export const adapterContext = ({ backbone, ...deps }: ChannelDeps): AdapterContext => ({
  ...deps,
  logger: deps.logger.child({ channel: deps.channel }),
  commands: commandMenu,
  store: backbone.store,
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
  readonly defaultsOn?: TargetDeps["defaultsOn"];
  readonly findPermalink?: FindPermalink;
  readonly leaseMs?: number;
  /** The agent's home, and which channels the agent has. */
  readonly home?: Destination | undefined;
  readonly hasChannel?: (channel: string) => boolean;
  readonly refuseIfOverloaded?: () => void;
}

/** The dependencies of a channel's relay. */
export const relayContext = ({ backbone, ...deps }: ChannelDeps, rules: ChannelRules = {}): RelayContext => {
  const { access, adapter, admits: channelAdmits = admits(access), defaultsOn = () => ({}) } = rules;
  const {
    findPermalink = async () => undefined,
    home,
    hasChannel = () => true,
    leaseMs = defaultRelayLimits.leaseMs,
  } = rules;
  const { bus, store } = backbone;
  const reporting = { ...deps, bus, store, checkpoint: noCheckpoint, home, hasChannel };
  const { blocked } = deps;
  const admitsUnblocked: Admits = (conversation, accountId) =>
    channelAdmits(conversation, accountId) && !isBlockedIn(deps, conversation, accountId);
  const deciding = { store, clock: deps.clock, defaultsOn, admits: admitsUnblocked };
  const targets = targetsOn(deciding);
  const stillTarget = isStillTarget({ ...deciding, ...(adapter && membershipIn(adapter)) });
  return {
    ...deps,
    bus,
    store,
    checkpoint: noCheckpoint,
    random: Math.random,
    // Work of a blocked account reaches no conversation, shared ones included.
    targetsOn: async (channel, reply) =>
      blocked?.hasAsker(deps.tenant, reply.audience) ? [] : targets(channel, reply),
    isStillTarget: async (reply, target) =>
      !blocked?.hasAsker(deps.tenant, reply.audience) && stillTarget(reply, target),
    afterRefusal: afterRefusal(deciding),
    reportUndeliverable: async (reply, target, why) => {
      const result = undeliverableResultOf(reply, target, why);
      if (result !== undefined) await reportUndeliverable(reporting, result, reply);
    },
    privateConversationOf: (channel, accountId) =>
      privateConversationOf(store, { tenant: deps.tenant, channel, accountId }),
    anchorIn: anchorIn({ ...deciding, findPermalink }),
    access,
    blocked,
    refuseIfOverloaded: rules.refuseIfOverloaded,
    limits: { ...defaultRelayLimits, leaseMs },
  };
};

/** A blocked account reads nothing in private, also no results that another account of its person asked for. */
const isBlockedIn = (
  { blocked, tenant }: Pick<ChannelDeps, "blocked" | "tenant">,
  { channel, kind }: Conversation,
  accountId: string | undefined,
): boolean => kind === "private" && accountId !== undefined && blocked?.has({ tenant, channel, accountId }) === true;

const membershipIn = (adapter: ChannelAdapter) =>
  isMembershipAdapter(adapter) ? { isMember: adapter.isMember.bind(adapter) } : {};
