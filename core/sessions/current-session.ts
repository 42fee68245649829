import { conversationKey } from "../contract/conversation.ts";
import type { Store } from "../contract/store.ts";
import { stableId } from "../lib/index.ts";
import type { SessionPlace } from "./session-record.ts";
import { sessionKey } from "./session-record.ts";

/** The id of the session that a conversation is in now. */
export const currentSession = async (store: Store, place: SessionPlace): Promise<string> =>
  (await store.get(sessionKey(place)))?.value.sessionId ?? firstSessionId(place);

/** Derived, so that a first message costs no write. */
export const firstSessionId = ({ tenant, agent, conversation }: SessionPlace): string =>
  stableId("s", tenant, agent, conversationKey(conversation));
