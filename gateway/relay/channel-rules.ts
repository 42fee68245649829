import { isSocketAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import type { AccessRules } from "../../adapters/contract/config.ts";
import { KeyedRates, RateLimit, type RateShare } from "../../adapters/contract/rate-limit.ts";
import type { Config } from "../../config/index.ts";
import type { DeliveryDefaults } from "../../core/contract/messages/delivery-policy.ts";
import type { UserMessage } from "../../core/contract/messages/user-message.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import { ToldError } from "../../core/contract/texts/told-error.ts";
import type { Admits } from "../../core/delivery/index.ts";

/** Throws "forbidden" or "rate-limited" (I2). */
export type AccessCheck = (message: Pick<UserMessage, "account" | "conversation">) => void;

/** Without `share`, each gateway counts by itself. */
export const accessCheck = (access: AccessRules | undefined, clock: Clock, share?: RateShare): AccessCheck => {
  const { accounts = "*", messagesPerMinute, isPersonal } = access ?? {};
  const isOpen = admits(access);
  const listed = accounts === "*" ? undefined : new Set(accounts);
  const limit = messagesPerMinute === undefined ? undefined : RateLimit.perMinute(messagesPerMinute);
  const rates = new KeyedRates(share, clock);
  return ({ account, conversation }) => {
    if (listed && !listed.has(account.id)) {
      throw new ToldError("forbidden", ({ refusals }) => (isPersonal ? refusals.notTheOwner : refusals.notListed));
    }
    if (!isOpen(conversation, account.id)) {
      throw new ToldError("forbidden", ({ refusals }) => refusals.roomNotListed);
    }
    if (messagesPerMinute !== undefined && limit && rates.take(account.id, limit, clock.monotonic()) > 0) {
      throw new ToldError("rate-limited", ({ refusals }) => refusals.tooManyMessages(messagesPerMinute));
    }
  };
};

/**
 * Whether a channel's access rules admit a conversation (I2): rooms and workspaces decide for shared ones, the account
 * for private ones. An unknown account is admitted only if all accounts are.
 */
export const admits = ({ accounts = "*", rooms = "*", workspaces = "*" }: AccessRules = {}): Admits => {
  const isAccount = oneOf(accounts);
  const isRoom = oneOf(rooms);
  const isWorkspace = oneOf(workspaces);
  return ({ kind, room, workspace }, accountId) =>
    kind === "private" ? isAccount(accountId) : isRoom(room) && isWorkspace(workspace);
};

const oneOf = (ids: "*" | readonly string[]) => {
  if (ids === "*") return () => true;
  const listed = new Set(ids);
  return (id: string | undefined) => id !== undefined && listed.has(id);
};

/** The configured defaults for proactive messages; a channel's setting overrides that of its agent. */
export const deliveryDefaults =
  (config: Config, agent: string) =>
  (channel: string): DeliveryDefaults => {
    // Read at the time of use, because a reload may change them.
    const { agents, channels, timeZone } = config;
    const own = channels[channel];
    const common = agents.find(({ name }) => name === agent)?.delivery;
    return {
      policy: { ...common?.policy, ...own?.delivery?.policy },
      quietHours: own?.delivery?.quietHours ?? common?.quietHours,
      timeZone: own?.timeZone ?? timeZone,
      locale: own && "locale" in own ? own.locale : undefined,
    };
  };

/** Whether the channel of a conversation is one of the agent's and lets it in (I2). */
export const admitsOn = (config: Config, agent: string): Admits => {
  let known: { readonly channels: Config["channels"]; readonly rules: ReadonlyMap<string, Admits> } | undefined;
  // A reload may change the rules of another channel of the agent.
  const rulesNow = () => {
    const { channels } = config;
    if (known?.channels === channels) return known.rules;
    const own = Object.entries(channels).filter(([, channel]) => channel.agent === agent);
    known = { channels, rules: new Map(own.map(([name, { access }]) => [name, admits(access)])) };
    return known.rules;
  };
  return (conversation, accountId) => rulesNow().get(conversation.channel)?.(conversation, accountId) ?? false;
};

/** More than a person types; a script could cost as many turns. */
const MESSAGES_PER_MINUTE = 120;

/** Adds a default rate limit to the configured access rules. A channel with sockets limits its own messages. */
export const limitedAccess = (access: AccessRules | undefined, adapter: ChannelAdapter): AccessRules | undefined =>
  isSocketAdapter(adapter)
    ? access
    : { ...access, messagesPerMinute: access?.messagesPerMinute ?? MESSAGES_PER_MINUTE };
