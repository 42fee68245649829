import { isoTime } from "../../contract/clock.ts";
import { subjectsOf } from "../../contract/subjects.ts";
import type { Subtask } from "../../contract/subtask.ts";
import type { SubtaskMessage } from "../../contract/subtask-message.ts";
import type { CoreParts } from "../../turns/index.ts";
import { endIdOf } from "../continuation/continuation-message.ts";
import type { SubtaskDeps } from "../deps.ts";
import { isOver } from "../owner/batch.ts";
import { applyBatchEffects } from "./batch-effects.ts";
import { type BatchChange, type CanWait, countInTime } from "./batch-transitions.ts";

/**
 * Makes an end known to the owner, once, whoever does it and however often. A member that is in time is counted here
 * and now; its run is acknowledged after that, so a death loses nothing. If it can wait, it is counted together with
 * what its turn does next. Everything else that owners must hear goes through their queue (S3).
 */
export const reportEnd = async (deps: SubtaskDeps, subtask: Subtask, canWait?: CanWait): Promise<void> => {
  await deps.checkpoint("subtask.ended");
  const isShown = canWait?.() ?? false;
  if (isShown) deps.activity.touch(subtask);
  const change = subtask.reports === "alone" ? undefined : await countNow(deps, subtask, canWait);
  if (change === undefined) {
    await sendToOwner(deps, subtask, {
      id: endIdOf(subtask.id),
      type: "completion",
      priority: "normal",
      content: subtask.status,
      timestamp: subtask.completedAt ?? isoTime(deps.clock.now()),
    });
  }
  await deps.checkpoint("subtask.reported");
  if (change === undefined || !(isShown || isOver(change.after))) deps.activity.touch(subtask);
};

/** Undefined: it came too late for that, or nobody knows its batch. */
const countNow = async (
  deps: SubtaskDeps,
  subtask: Subtask,
  canWait: CanWait | undefined,
): Promise<BatchChange | undefined> => {
  await deps.checkpoint("end.received", subtask.id);
  const change = await countInTime(deps, subtask, canWait);
  const member = change?.after.members.find(({ id }) => id === subtask.id);
  if (member?.ended !== true || member.late) return undefined;
  await deps.checkpoint("end.counted");
  logOwnerMessage(deps, subtask, { id: endIdOf(subtask.id), type: "completion", priority: "normal" });
  await applyBatchEffects(deps, subtask, change);
  return change;
};

type Words = Pick<SubtaskMessage, "id" | "type" | "priority" | "content" | "timestamp">;

/** Progress is noted in the subtask's record and not sent, but it is a word to the owner all the same. */
type LoggedWord = Pick<Words, "id" | "priority"> & { readonly type: Words["type"] | "status_update" };

export const logOwnerMessage = (
  { logger }: CoreParts,
  subtask: Subtask,
  { id: message, type, priority }: LoggedWord,
): void => {
  const { id, depth, planId, owner, traceId } = subtask;
  const to = { owner: owner.ownerId, ownerType: owner.ownerType };
  logger.info({ subtask: id, message, type, priority, depth, planId, ...to, traceId }, "word to the owner");
};

export const sendToOwner = async (deps: CoreParts, subtask: Subtask, words: Words): Promise<void> => {
  const { tenant, agent, id, depth, owner, planId, parentTurnId, traceId } = subtask;
  logOwnerMessage(deps, subtask, words);
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
  await deps.bus.publish(subject, message, { id: words.id, key: owner.ownerId });
};
