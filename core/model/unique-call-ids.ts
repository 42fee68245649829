import type { ChatMessage } from "./chat-message.ts";

/** What every provider takes back as an id. */
const USABLE = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Sloppy models leave call ids out, repeat them, or count from zero in every answer. The function returned keeps
 * a usable id that is new to the conversation and makes another one otherwise.
 */
export const uniqueCallIds = (messages: readonly ChatMessage[]): ((proposed: string) => string) => {
  const taken = new Set<string>();
  for (const message of messages) {
    if (message.role === "assistant") for (const call of message.toolCalls) taken.add(call.id);
  }
  return (proposed) => {
    let id = proposed;
    for (let next = taken.size + 1; !USABLE.test(id) || taken.has(id); next++) id = `call-${next}`;
    taken.add(id);
    return id;
  };
};
