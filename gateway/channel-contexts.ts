import type { AdapterContext } from "../adapters/contract/adapter-context.ts";
import type { Access } from "../adapters/contract/config.ts";
import type { Backbone } from "../core/contract/backbone.ts";
import { noCheckpoint } from "../core/contract/checkpoint.ts";
import type { Clock } from "../core/contract/clock.ts";
import type { Logger } from "../core/contract/logger.ts";
import type { Meter } from "../core/contract/meter.ts";
import { subjectsOf } from "../core/contract/subjects.ts";
import { targetsOn } from "../core/delivery/targets.ts";
import { currentSession } from "../core/sessions/current-session.ts";
import { anchorIn } from "./anchor-in.ts";
import { defaultRelayLimits } from "./relay/default-relay-limits.ts";
import type { RelayContext } from "./relay/relay-context.ts";

export interface ChannelParts {
  readonly channel: string;
  readonly tenant: string;
  readonly agent: string;
  readonly publicUrl: string;
  readonly backbone: Backbone;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly newId: () => string;
}

/** What a channel's adapter may use. */
export const adapterContext = ({ backbone, ...parts }: ChannelParts): AdapterContext => ({
  ...parts,
  logger: parts.logger.child({ channel: parts.channel }),
  store: backbone.store,
  signal: (signal) => backbone.bus.signal(subjectsOf(parts.tenant).userSignal(parts.agent), signal),
  sessionOf: (conversation) => currentSession(backbone.store, { ...parts, conversation }),
});

/** What a channel's relay works with. */
export const relayContext = ({ backbone, ...parts }: ChannelParts, access?: Access): RelayContext => ({
  ...parts,
  bus: backbone.bus,
  store: backbone.store,
  checkpoint: noCheckpoint,
  random: Math.random,
  targetsOn,
  privateConversationOf: async () => undefined,
  anchorIn: anchorIn({ store: backbone.store, clock: parts.clock }),
  access,
  limits: defaultRelayLimits,
});
