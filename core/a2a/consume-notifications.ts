import { messageOf } from "../contract/app-error.ts";
import type { ChatMessage } from "../model/chat-message.ts";
import { removeNotifications } from "../subtasks/notifications.ts";
import type { CoreParts } from "../turns/turn.ts";
import type { SessionAddress } from "./late-record.ts";
import { changeLate } from "./late-record.ts";

const PREFIX = "notifications/a2a/";

/** The notes about other agents' answers that a turn has looked up by itself. */
export const notificationsRead = (messages: readonly ChatMessage[]): string[] =>
  messages
    .flatMap((message) => (message.role === "assistant" ? message.toolCalls : []))
    .filter(({ name }) => name === "get_from_working_memory")
    .flatMap(({ input }) => keyIn(input) ?? [])
    .filter((key) => key.startsWith(PREFIX));

const keyIn = (input: unknown): string | undefined =>
  typeof input === "object" && input !== null && "key" in input && typeof input.key === "string"
    ? input.key
    : undefined;

/** The turn that read them has ended: they are told, and no further turn is about them (L5). */
export const consumeNotifications = async (
  parts: Pick<CoreParts, "store" | "clock" | "logger">,
  address: SessionAddress,
  keys: readonly string[],
): Promise<void> => {
  if (keys.length === 0) return;
  await changeLate(parts.store, address, (record) => {
    const items = record.items.filter(({ key }) => !keys.includes(key));
    return items.length === record.items.length ? record : { ...record, items };
  });
  try {
    await removeNotifications(parts, address.sessionId, keys);
  } catch (error) {
    // They are no longer listed as untold; what is left of them expires.
    parts.logger.warn({ session: address.sessionId, error: messageOf(error) }, "read notifications are left behind");
  }
};
