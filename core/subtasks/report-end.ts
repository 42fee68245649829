import { isoTime } from "../contract/clock.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { Subtask } from "../contract/subtask.ts";
import type { SubtaskMessage } from "../contract/subtask-message.ts";
import type { CoreParts } from "../turns/index.ts";
import { afterGate } from "./after-gate.ts";
import { isOver } from "./batch.ts";
import { endIdOf } from "./continuation-ids.ts";
import { type CanWait, countInTime, type GateChange } from "./gate.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

/**
 * Makes an end known to the owner, once, whoever does it and however often. A member that is in time is counted here
 * and now; its run is acknowledged after that, so a death loses nothing. If it can wait, it is counted together with
 * what its turn does next. Everything else that owners must hear goes through their queue (S3).
 */
export const reportEnd = async (parts: SubtaskParts, subtask: Subtask, canWait?: CanWait): Promise<void> => {
  await parts.checkpoint("subtask.ended");
  const isShown = canWait?.() ?? false;
  if (isShown) parts.activity.touch(subtask);
  const change = subtask.reports === "alone" ? undefined : await countNow(parts, subtask, canWait);
  if (change === undefined) {
    await sendToOwner(parts, subtask, {
      id: endIdOf(subtask.id),
      type: "completion",
      priority: "normal",
      content: subtask.status,
      timestamp: subtask.completedAt ?? isoTime(parts.clock.now()),
    });
  }
  await parts.checkpoint("subtask.reported");
  if (change === undefined || !(isShown || isOver(change.after))) parts.activity.touch(subtask);
};

/** Undefined: it came too late for that, or nobody knows its batch. */
const countNow = async (
  parts: SubtaskParts,
  subtask: Subtask,
  canWait: CanWait | undefined,
): Promise<GateChange | undefined> => {
  await parts.checkpoint("end.received", subtask.id);
  const change = await countInTime(parts, subtask, canWait);
  const member = change?.after.members.find(({ id }) => id === subtask.id);
  if (member?.ended !== true || member.late) return undefined;
  await parts.checkpoint("end.counted");
  logWord(parts, subtask, { id: endIdOf(subtask.id), type: "completion", priority: "normal" });
  await afterGate(parts, subtask, change);
  return change;
};

type Words = Pick<SubtaskMessage, "id" | "type" | "priority" | "content" | "timestamp">;

/** Progress is noted in the subtask's record and not sent, but it is a word to the owner all the same. */
type LoggedWord = Pick<Words, "id" | "priority"> & { readonly type: Words["type"] | "status_update" };

export const logWord = ({ logger }: CoreParts, subtask: Subtask, { id: message, type, priority }: LoggedWord): void => {
  const { id, depth, planId, owner, traceId } = subtask;
  const to = { owner: owner.ownerId, ownerType: owner.ownerType };
  logger.info({ subtask: id, message, type, priority, depth, planId, ...to, traceId }, "word to the owner");
};

export const sendToOwner = async (parts: CoreParts, subtask: Subtask, words: Words): Promise<void> => {
  const { tenant, agent, id, depth, owner, planId, parentTurnId, traceId } = subtask;
  logWord(parts, subtask, words);
  const message: SubtaskMessage = {
    ...words,
    subtask: { tenant, agent, id },
    owner,
    depth,
    planId,
    turnId: parentTurnId,
    traceId,
  };
  const subject = subjectsOf(tenant).subtaskMessage(agent);
  await parts.bus.publish(subject, message, { id: words.id, key: owner.ownerId });
};
