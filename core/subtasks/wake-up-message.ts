import type { Subtask } from "../contract/subtask.ts";
import type { SubtaskMessage } from "../contract/subtask-message.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { wakeUpIdOf } from "./continuation-ids.ts";
import { continuationMessage } from "./continuation-message.ts";

/** A word of one subtask as a message to its owner's session (S8). */
export const wakeUpMessage = (message: SubtaskMessage, subtask: Subtask): UserMessage => {
  const { parentSessionId: sessionId, owner, planId: rootTurnId, background, depth, chain } = subtask;
  const standing = { owner, depth: depth - 1, rootTurnId, background, ...(chain !== undefined && { chain }) };
  return continuationMessage(
    subtask,
    { ...subtask, sessionId, standing },
    {
      id: wakeUpIdOf(message.id),
      type: "wake-up",
      at: message.timestamp,
      data: {
        type: message.type,
        priority: message.priority,
        subtask: subtask.id,
        name: subtask.name,
        content: message.content,
      },
    },
  );
};
