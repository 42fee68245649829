import type { AgentReply } from "../core/contract/agent-reply.ts";
import type { Anchor } from "../core/contract/anchor.ts";
import type { Clock } from "../core/contract/clock.ts";
import type { Conversation } from "../core/contract/conversation.ts";
import type { DeliveryDefaults } from "../core/contract/delivery-policy.ts";
import type { Store } from "../core/contract/store.ts";
import { viewerTimeIn } from "../core/delivery/index.ts";
import { anchorFor, isAtHome } from "../core/origin/index.ts";
import { currentSession } from "../core/sessions/index.ts";
import type { FindPermalink } from "./find-permalink.ts";

export interface AnchorParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly defaultsOn: (channel: string) => DeliveryDefaults;
  /** For origins whose adapter gave no link. */
  readonly findPermalink: FindPermalink;
}

/**
 * The anchor of a reply as it is to be shown in a conversation, decided at that moment: its session then (O8), the
 * reader's own zone and language, or else the channel's (O9).
 */
export const anchorIn =
  ({ store, clock, defaultsOn, findPermalink }: AnchorParts) =>
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
