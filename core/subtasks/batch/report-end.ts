import type { SubtaskAddress } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { hasEnded, type Subtask, type SubtaskMessage } from "../../contract/messages/subtask.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { CoreDeps } from "../../turns/index.ts";
import type { SubtaskDeps } from "../deps.ts";
import { isOver, openCalls } from "../owner/batch.ts";
import { readOwner } from "../owner/owner-record.ts";
import { endSubtask } from "../record/end-subtask.ts";
import { applyBatchEffects } from "./batch-effects.ts";
import { type BatchChange, type CanWait, countInTime } from "./batch-transitions.ts";
import { endIdOf } from "./continuation-message.ts";

/**
 * Reports an end to the owner; idempotent. An end in time is counted here, before its run is acknowledged, so that a
 * crash loses nothing. If it can wait, it shares a write of its turn. A late end, and one of a subtask that reports
 * alone, goes through the owner's queue (S3).
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

/** Resolves to undefined if the end is late or its batch is not known. */
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

type MessageToOwner = Pick<SubtaskMessage, "id" | "type" | "priority" | "content" | "timestamp">;

type LoggedMessage = Pick<MessageToOwner, "id" | "priority" | "type">;

export const logOwnerMessage = (
  { logger }: CoreDeps,
  subtask: Subtask,
  { id: message, type, priority }: LoggedMessage,
): void => {
  const { id, depth, planId, owner, traceId } = subtask;
  const to = { owner: owner.ownerId, ownerType: owner.ownerType };
  logger.info({ subtask: id, message, type, priority, depth, planId, ...to, traceId }, "subtask reported to owner");
};

export const sendToOwner = async (deps: CoreDeps, subtask: Subtask, content: MessageToOwner): Promise<void> => {
  const { tenant, agent, id, depth, owner, planId, parentTurnId, traceId } = subtask;
  logOwnerMessage(deps, subtask, content);
  const message: SubtaskMessage = {
    ...content,
    subtask: { tenant, agent, id },
    owner,
    depth,
    planId,
    turnId: parentTurnId,
    traceId,
  };
  const subject = subjectsOf(tenant).subtaskMessage(agent);
  await deps.bus.publish(subject, message, { id: content.id, key: owner.ownerId });
};

/**
 * Ends a subtask and all that it has delegated. Running subagents stop when they notice. With `atPeers`, other agents are
 * asked to stop too; otherwise their answers are folded back (L2).
 */
export const cancelSubtask = async (
  deps: SubtaskDeps,
  address: SubtaskAddress,
  why: string,
  atPeers = false,
): Promise<Subtask | undefined> => {
  const result = { status: "failed" as const, output: "", error: `Cancelled: ${why}.` };
  const ended = await endSubtask(deps, address, { status: "cancelled", result });
  if (ended === undefined) return undefined;
  await reportEnd(deps, ended);
  await cancelCalls(deps, ended, atPeers);
  await cancelChildren(deps, ended, atPeers);
  return ended;
};

/** Cancels the children of an ended subtask, because their results have no reader. */
export const cancelChildren = async (deps: SubtaskDeps, parent: Subtask, atPeers = false): Promise<void> => {
  const { tenant, agent, id } = parent;
  if (!hasEnded(parent)) return;
  const { batches } = await readOwner(deps.store, { tenant, agent, ownerId: id });
  const open = Object.values(batches).flatMap(({ members }) => members.filter(({ ended }) => !ended));
  for (const child of open) await cancelSubtask(deps, { tenant, agent, id: child.id }, `${id} has ended`, atPeers);
};

/** Cancels the calls of a cancelled subtask that are still open. */
const cancelCalls = async (
  deps: SubtaskDeps,
  { tenant, agent, id, status }: Subtask,
  atPeers: boolean,
): Promise<void> => {
  if (status !== "cancelled") return;
  const { batches } = await readOwner(deps.store, { tenant, agent, ownerId: id });
  const open = Object.values(batches).flatMap(openCalls);
  await deps.calls.cancel(
    deps,
    { tenant, agent },
    open.map((call) => call.id),
    atPeers,
  );
};
