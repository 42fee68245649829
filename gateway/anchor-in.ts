import type { AgentReply } from "../core/contract/agent-reply.ts";
import type { Anchor } from "../core/contract/anchor.ts";
import type { Clock } from "../core/contract/clock.ts";
import type { Conversation } from "../core/contract/conversation.ts";
import type { Store } from "../core/contract/store.ts";
import { anchorFor } from "../core/origin/anchor.ts";
import { currentSession } from "../core/sessions/current-session.ts";

/** The anchor of a reply as it is to be shown in a conversation, whose session is looked up at that moment (O8). */
export const anchorIn =
  ({ store, clock }: { store: Store; clock: Clock }) =>
  async (conversation: Conversation, { tenant, agent, origin }: AgentReply): Promise<Anchor | null> => {
    if (origin === null) return null;
    const sessionId = await currentSession(store, { tenant, agent, conversation });
    return anchorFor(origin, { channel: conversation.channel, sessionId }, clock.now());
  };
