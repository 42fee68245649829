import { messageOf } from "../contract/app-error.ts";
import type { UserMessage } from "../contract/user-message.ts";
import type { ChatMessage } from "../model/index.ts";
import { removeNotifications } from "../subtasks/index.ts";
import type { CoreParts } from "../turns/index.ts";
import { lateKeysIn } from "./late-answer-prompt.ts";
import type { SessionAddress } from "./late-record.ts";
import { changeLate } from "./late-record.ts";

const PREFIX = "notifications/a2a/";
const MOST_TOLD = 100;

/** The notes about other agents' answers that a turn has looked up by itself. */
const notificationsRead = (messages: readonly ChatMessage[]): string[] =>
  messages
    .flatMap((message) => (message.role === "assistant" ? message.toolCalls : []))
    .filter(({ name }) => name === "get_from_working_memory")
    .flatMap(({ input }) => keyIn(input) ?? [])
    .filter((key) => key.startsWith(PREFIX));

const keyIn = (input: unknown): string | undefined =>
  typeof input === "object" && input !== null && "key" in input && typeof input.key === "string"
    ? input.key
    : undefined;

/** How it went is of no interest to who knows how it ended. */
const statusBefore = (key: string): string[] =>
  /\/(?:result|error)$/.test(key) ? [key.replace(/[^/]*$/, "status")] : [];

/**
 * The turn that read them has ended: they are told, and no further turn is about them (L5). A question that has taken
 * the place of one that was read meanwhile is still to be told.
 */
export const consumeNotifications = async (
  parts: Pick<CoreParts, "store" | "clock" | "logger">,
  address: SessionAddress,
  message: UserMessage,
  messages: readonly ChatMessage[],
): Promise<void> => {
  const lookedUp = notificationsRead(messages);
  const keys = [...lateKeysIn(message), ...lookedUp];
  if (keys.length === 0) return;
  const { items } = await changeLate(parts.store, address, (record) => {
    const ofTurn = record.items.filter(({ toldBy }) => toldBy === message.id);
    const read = record.items.filter((item) => ofTurn.includes(item) || lookedUp.includes(item.key));
    if (read.length === 0) return record;
    const surely = read.filter((item) => ofTurn.includes(item) || item.kind !== "input-required");
    const told = [...(record.told ?? []), ...surely.map(({ id }) => id)].slice(-MOST_TOLD);
    return { ...record, items: record.items.filter((item) => !read.includes(item)), told };
  });
  const done = keys.filter((key) => !items.some((item) => item.key === key));
  try {
    await removeNotifications(parts, address.sessionId, [...done, ...done.flatMap(statusBefore)]);
  } catch (error) {
    // They are no longer listed as untold; what is left of them expires.
    parts.logger.warn({ session: address.sessionId, error: messageOf(error) }, "read notifications are left behind");
  }
};
