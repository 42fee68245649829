import { isoTime } from "../contract/clock.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { Subtask } from "../contract/subtask.ts";
import type { SubtaskMessage } from "../contract/subtask-message.ts";
import type { CoreParts } from "../turns/turn.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

/** Tells the owner, durably (S3). Whoever sees the end may do it: the message's id makes it one. */
export const reportEnd = async (parts: SubtaskParts, subtask: Subtask): Promise<void> => {
  await parts.checkpoint("subtask.ended");
  await sendToOwner(parts, subtask, {
    id: `${subtask.id}/end`,
    type: "completion",
    priority: "normal",
    content: subtask.status,
    timestamp: subtask.completedAt ?? isoTime(parts.clock.now()),
  });
  await parts.checkpoint("subtask.reported");
  parts.activity.touch(subtask);
};

type Words = Pick<SubtaskMessage, "id" | "type" | "priority" | "content" | "timestamp">;

export const sendToOwner = async ({ bus, logger }: CoreParts, subtask: Subtask, words: Words): Promise<void> => {
  const { tenant, agent, id, owner, planId, parentTurnId, traceId } = subtask;
  logger.info({ subtask: id, message: words.id, type: words.type, owner: owner.ownerId, traceId }, "message to owner");
  const message: SubtaskMessage = {
    ...words,
    subtask: { tenant, agent, id },
    owner,
    planId,
    turnId: parentTurnId,
    traceId,
  };
  const subject = subjectsOf(tenant).subtaskMessage(agent);
  await bus.publish(subject, message, { id: words.id, key: owner.ownerId });
};
