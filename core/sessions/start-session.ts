import { isoTime } from "../contract/clock.ts";
import { conversationKey } from "../contract/conversation.ts";
import type { Store } from "../contract/store.ts";
import { stableId } from "../lib/index.ts";
import { firstSessionId } from "./current-session.ts";
import type { SessionPlace } from "./session-record.ts";
import { sessionKey } from "./session-record.ts";

/**
 * Ends the session `after` and starts the one that the message `messageId` asks for. Doing it again changes nothing,
 * also when the session after it has begun meanwhile. Rejects with RevisionConflict if another process is at it.
 */
export const startSession = async (
  store: Store,
  place: SessionPlace,
  options: { after: string; messageId: string; now: number },
): Promise<string> => {
  const { tenant, agent, conversation } = place;
  const sessionId = stableId("s", tenant, agent, conversationKey(conversation), options.messageId);
  const stored = await store.get(sessionKey(place));
  const current = stored?.value.sessionId ?? firstSessionId(place);
  if (current === options.after) {
    const record = { sessionId, startedAt: isoTime(options.now) };
    await store.put(sessionKey(place), record, { ifRevision: stored?.revision ?? 0 });
  }
  return sessionId;
};
