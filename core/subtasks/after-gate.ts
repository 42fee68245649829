import { messageOf } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { Subtask } from "../contract/subtask.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { orderKey } from "../contract/user-message.ts";
import type { Batch } from "./batch.ts";
import { countedMembers, isOver, isSettled } from "./batch.ts";
import { amendmentIdOf, synthesisIdOf } from "./continuation-ids.ts";
import { continuationMessage } from "./continuation-message.ts";
import type { GateChange } from "./gate.ts";
import { addNotification } from "./notifications.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

type Place = Pick<Subtask, "tenant" | "agent">;

/**
 * What follows from a change of a batch: the one answer, the one follow-up, the end of the activity entry. All of it
 * has fixed ids, so a repeat of the change that says it all again does no harm.
 */
export const afterGate = async (parts: SubtaskParts, place: Place, change: GateChange | undefined): Promise<void> => {
  if (change === undefined || change.after.standing.owner.ownerType === "worker") return;
  const { before, after } = change;
  const isRepeat = before === after;
  const amendedAt = isRepeat || before.amendedAt === undefined ? after.amendedAt : undefined;
  // Before a follow-up too: whoever fired it may be dead, and the answer comes first.
  if (after.firedAt !== undefined && (isRepeat || amendedAt !== undefined || before.firedAt === undefined)) {
    const { firedBy = "complete", turnId, traceId } = after;
    if (before.firedAt === undefined) parts.meter.count("batches_total", { agent: place.agent, fired: firedBy });
    parts.logger.info({ batch: turnId, traceId, firedBy, members: countedMembers(after).length }, "batch fired");
    await parts.checkpoint("batch.fired");
    await wake(parts, place, synthesisMessage(place, after, after.firedAt));
    await parts.checkpoint("synthesis.published");
  }
  if (amendedAt !== undefined) await wake(parts, place, amendmentMessage(place, after, amendedAt));
  if (isOver(after)) await parts.activity.complete(place, after);
  if (!isSettled(after)) return;
  const { ownerId } = after.standing.owner;
  parts.owners.markTold({ tenant: place.tenant, agent: place.agent, ownerId }, after.turnId);
};

/** Puts a turn that nobody waits for into the owner's session, behind whatever runs there (S8). */
export const wake = async ({ bus, logger }: SubtaskParts, place: Place, message: UserMessage): Promise<void> => {
  const { id, synthetic, traceId } = message;
  const { type, owner, rootTurnId: planId, data } = synthetic ?? {};
  const fields = { message: id, type, planId, owner: owner?.ownerId, ownerType: owner?.ownerType, traceId };
  logger.info({ ...fields, ...(type === "wake-up" && { subtask: data?.subtask }) }, "owner woken");
  const subject = subjectsOf(place.tenant).userMessage(place.agent);
  await bus.publish(subject, message, { id, key: orderKey(message) });
};

const synthesisMessage = (place: Place, batch: Batch, firedAt: number): UserMessage =>
  continuationMessage(place, batch, {
    id: synthesisIdOf(batch.turnId),
    type: "synthesis",
    at: isoTime(firedAt),
    data: {
      // As it fired, also if it is said again when those who were out have ended.
      subtasks: countedMembers(batch).map(({ id, name, ended, late = false }) => ({
        id,
        name,
        timedOut: !ended || late,
      })),
    },
  });

const amendmentMessage = (place: Place, batch: Batch, amendedAt: number): UserMessage =>
  continuationMessage(place, batch, {
    id: amendmentIdOf(batch.turnId),
    type: "amendment",
    at: isoTime(amendedAt),
    data: {
      subtasks: countedMembers(batch)
        .filter(({ late }) => late)
        .map(({ id, name }) => ({ id, name, timedOut: false })),
    },
  });

/** A result that came too late for the answer is kept where the owner finds it (B4). */
export const keepLateResult = async (parts: SubtaskParts, subtask: Subtask): Promise<void> => {
  const { id, name, status, result, parentSessionId, traceId } = subtask;
  try {
    await addNotification(parts, parentSessionId, {
      key: `notifications/subtasks/${id}`,
      summary: `late result of "${name}" (${status})`,
      text: [result?.output, result?.error].filter(Boolean).join("\n\n"),
    });
  } catch (error) {
    // A full memory must not keep the follow-up from people.
    parts.logger.warn({ subtask: id, traceId, error: messageOf(error) }, "late result not kept in memory");
  }
};
