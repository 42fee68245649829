import { isPermalinkAdapter } from "../../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../../adapters/contract/channel-adapter.ts";
import { messageOf } from "../../../core/contract/app-error.ts";
import type { AgentReply, Anchor } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { DeliveryDefaults } from "../../../core/contract/messages/delivery-policy.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { viewerTimeIn } from "../../../core/delivery/index.ts";
import { withinDeadline } from "../../../core/lib/index.ts";
import { anchorFor, isAtHome } from "../../../core/origin/index.ts";
import { currentSession } from "../../../core/sessions/index.ts";

interface AnchorDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly defaultsOn: (channel: string) => DeliveryDefaults;
  /** For origins whose adapter gave no link. */
  readonly findPermalink: FindPermalink;
}

/**
 * The anchor of a reply in a conversation, decided at send time by the current session (O8) and by the time zone and
 * language of the reader, or else of the channel (O9).
 */
export const anchorIn =
  ({ store, clock, defaultsOn, findPermalink }: AnchorDeps) =>
  async (conversation: Conversation, reply: AgentReply): Promise<Anchor | null> => {
    const { tenant, agent, origin, audience } = reply;
    if (origin === null) return null;
    const { channel } = conversation;
    const viewing = { channel, sessionId: await currentSession(store, { tenant, agent, conversation }) };
    if (isAtHome(origin, viewing)) return null;
    const [viewer, link] = await Promise.all([
      viewerTimeIn(store, reply, conversation),
      origin.link ?? findPermalink(audience.conversation, origin.messageId),
    ]);
    const defaults = defaultsOn(channel);
    const timeZone = viewer.timeZone ?? defaults.timeZone;
    const locale = viewer.locale ?? defaults.locale;
    const linked = link === undefined ? origin : { ...origin, link };
    return anchorFor(linked, { ...viewing, timeZone, locale }, clock.now());
  };

/** The platform's permalink of a message (O12); undefined if there is none or the platform does not respond in time. */
export type FindPermalink = (conversation: Conversation, messageId: string | undefined) => Promise<string | undefined>;

const DEADLINE_MS = 2_000;

export const findPermalink =
  (adapters: readonly ChannelAdapter[], { clock, logger }: { clock: Clock; logger: Logger }): FindPermalink =>
  async (conversation, messageId) => {
    const adapter = adapters.find(({ channel }) => channel === conversation.channel);
    if (messageId === undefined || adapter === undefined || !isPermalinkAdapter(adapter)) return undefined;
    try {
      const asked = (async () => adapter.permalink(conversation, messageId))();
      return await withinDeadline<string | undefined>(clock, DEADLINE_MS, asked, () => undefined);
    } catch (error) {
      logger.debug({ channel: adapter.channel, error: messageOf(error) }, "could not get permalink");
      return undefined;
    }
  };
