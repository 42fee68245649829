import { z } from "zod";
import { collection, keyOf } from "../contract/collection.ts";
import type { Conversation } from "../contract/conversation.ts";
import { conversationKey } from "../contract/conversation.ts";

/** Exists only after a `new`: the first session of a conversation needs no record. */
export const SessionRecord = z.looseObject({
  sessionId: z.string(),
  startedAt: z.iso.datetime(),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

const sessions = collection("sessions", SessionRecord);

/** Whose memory of which conversation. */
export interface SessionPlace {
  readonly tenant: string;
  readonly agent: string;
  readonly conversation: Conversation;
}

export const sessionKey = ({ tenant, agent, conversation }: SessionPlace) =>
  keyOf(sessions, tenant, agent, conversationKey(conversation));
