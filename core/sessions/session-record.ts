import { z } from "zod";
import type { AgentRef } from "../contract/agent-ref.ts";
import { isoTime } from "../contract/clock.ts";
import { collection, keyOf } from "../contract/collection.ts";
import { type Conversation, conversationKey } from "../contract/conversation.ts";
import type { Store } from "../contract/store.ts";
import { stableId } from "../lib/index.ts";

/** Exists only after a `new`: the first session of a conversation needs no record. */
export const SessionRecord = z.looseObject({
  sessionId: z.string(),
  startedAt: z.iso.datetime(),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

const sessions = collection("sessions", SessionRecord);

/** Locates the current session of an agent in a conversation. */
export interface SessionAddress extends AgentRef {
  readonly conversation: Conversation;
}

export const sessionKey = ({ tenant, agent, conversation }: SessionAddress) =>
  keyOf(sessions, tenant, agent, conversationKey(conversation));

/** The id of the current session of a conversation. */
export const currentSession = async (store: Store, address: SessionAddress): Promise<string> =>
  (await store.get(sessionKey(address)))?.value.sessionId ?? firstSessionId(address);

/** Derived, so that a first message costs no write. */
export const firstSessionId = ({ tenant, agent, conversation }: SessionAddress): string =>
  stableId("s", tenant, agent, conversationKey(conversation));

/**
 * Ends the session `after` and starts the one that the message `messageId` requests. Idempotent, also if a later session
 * has started since. Rejects with RevisionConflict if another process writes at the same time.
 */
export const startSession = async (
  store: Store,
  address: SessionAddress,
  options: { after: string; messageId: string; now: number },
): Promise<string> => {
  const { tenant, agent, conversation } = address;
  const sessionId = stableId("s", tenant, agent, conversationKey(conversation), options.messageId);
  const stored = await store.get(sessionKey(address));
  const current = stored?.value.sessionId ?? firstSessionId(address);
  if (current === options.after) {
    const record = { sessionId, startedAt: isoTime(options.now) };
    await store.put(sessionKey(address), record, { ifRevision: stored?.revision ?? 0 });
  }
  return sessionId;
};
