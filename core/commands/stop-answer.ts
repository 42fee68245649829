import { sameConversation } from "../contract/conversation.ts";
import { callerOf } from "./caller-of.ts";
import type { CommandAnswer, CommandCall } from "./command.ts";

/** Ends the caller's own answers that are being written in this conversation; what they have delegated goes on. */
export const stopAnswer = async (call: CommandCall): Promise<CommandAnswer> => {
  const { parts, message } = call;
  const caller = await callerOf(call);
  const running = await parts.turns.of(message, [...caller.accounts], message.id);
  const unwanted = running.filter(
    ({ audience }) => sameConversation(audience.conversation, message.conversation) && caller.owns(audience),
  );
  if (unwanted.length === 0) return { markdown: "I am not writing an answer for you here." };
  parts.turns.stop(message, unwanted);
  return { markdown: "I stopped." };
};
