import type { AgentRef } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { parentContextOf, type Subtask, type SubtaskMessage } from "../../contract/messages/subtask.ts";
import { agentAnswerIdOf } from "../../contract/messages/synthetic.ts";
import { orderKey, type SyntheticMessage, syntheticMessage } from "../../contract/messages/user-message.ts";
import type { CoreDeps } from "../../turns/index.ts";

/** Ids of continuations are derived from their cause, so that a repeat is a duplicate. */
export const synthesisIdOf = (turnId: string): string => `batch-${turnId}/synthesis`;
export const amendmentIdOf = (turnId: string): string => `batch-${turnId}/amendment`;
/** The turn about the answer to a call to another agent. */
export const callbackIdOf = (callId: string): string => `callback/${callId}`;
const wakeUpIdOf = (messageId: string): string => `wake/${messageId}`;
/** Ids of messages to the owner: the completion, and those that a tool call sends. */
export const endIdOf = (subtaskId: string): string => `${subtaskId}/end`;
export const ownerMessageIdOf = (subtaskId: string, callKey: string): string => `${subtaskId}/${callKey}`;

type Continued =
  | { readonly turnId: string }
  /** `callKeys`: the idempotency keys of the subagent's tool calls. */
  | { readonly subtaskId: string; readonly callKeys: readonly string[] };

/** Ids of all messages that may continue the work of a turn or a subtask in the owner's session. */
export const continuationsOf = (work: Continued): string[] => {
  if ("turnId" in work) {
    const { turnId } = work;
    return [synthesisIdOf(turnId), amendmentIdOf(turnId), agentAnswerIdOf(turnId)];
  }
  const { subtaskId, callKeys } = work;
  return [endIdOf(subtaskId), ...callKeys.map((key) => ownerMessageIdOf(subtaskId, key))].map(wakeUpIdOf);
};

/** A message of one subtask as a turn of its owner's session (S8). */
export const wakeUpMessage = (message: SubtaskMessage, subtask: Subtask): SyntheticMessage =>
  syntheticMessage(subtask, parentContextOf(subtask), {
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
  });

/** Enqueues a background turn in the owner's session, behind the turn that runs there (S8). */
export const enqueueTurn = async (
  { bus, logger }: Pick<CoreDeps, "bus" | "logger">,
  { tenant, agent }: AgentRef,
  message: SyntheticMessage,
): Promise<void> => {
  const { id, synthetic, traceId } = message;
  const { type, owner, rootTurnId: planId } = synthetic;
  const fields = { message: id, type, planId, owner: owner.ownerId, ownerType: owner.ownerType, traceId };
  const about = synthetic.type === "wake-up" && { subtask: synthetic.data?.subtask };
  logger.info({ ...fields, ...about }, "turn enqueued");
  await bus.publish(subjectsOf(tenant).userMessage(agent), message, { id, key: orderKey(message) });
};
