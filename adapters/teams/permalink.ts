import type { Conversation } from "../../core/contract/conversation.ts";
import type { Reference } from "./references.ts";

const BASE = "https://teams.microsoft.com/l/message";

/**
 * Where Teams shows a message. Private chats with a bot have no such address.
 * https://learn.microsoft.com/microsoftteams/platform/concepts/build-and-test/deep-link-teams
 */
export const messageLink = (
  { room, thread, kind }: Conversation,
  messageId: string,
  reference: Pick<Reference, "groupId">,
  directory: string,
): string | undefined => {
  if (kind === "private") return undefined;
  const path = `${BASE}/${encodeURIComponent(room)}/${encodeURIComponent(messageId)}`;
  if (!room.includes("@thread.tacv2")) return `${path}?${new URLSearchParams({ context: '{"contextType":"chat"}' })}`;
  if (reference.groupId === undefined) return undefined;
  const parentMessageId = thread ?? messageId;
  return `${path}?${new URLSearchParams({ tenantId: directory, groupId: reference.groupId, parentMessageId })}`;
};
