import { messageOf } from "../../contract/app-error.ts";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import type { Subtask } from "../../contract/messages/subtask.ts";
import { type SyntheticMessage, syntheticMessage } from "../../contract/messages/user-message.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { addNotification } from "../../memory/index.ts";
import type { SubtaskDeps } from "../deps.ts";
import { type Batch, type BatchCall, countedMembers, isOver, isSettled } from "../owner/batch.ts";
import { type BatchAddress, type BatchChange, batchOf, countCallEnd, takeReturned } from "./batch-transitions.ts";
import { amendmentIdOf, callbackIdOf, enqueueTurn, synthesisIdOf } from "./continuation-message.ts";

/**
 * Publishes what follows from a change of a batch: the synthesis, the follow-up, the end of the activity entry. All
 * messages have fixed ids, so a redelivered change publishes duplicates only.
 */
export const applyBatchEffects = async (
  deps: SubtaskDeps,
  agentRef: AgentRef,
  change: BatchChange | undefined,
): Promise<void> => {
  if (change === undefined || change.after.standing.owner.ownerType === "worker") return;
  const { before, after } = change;
  const isRepeat = before === after;
  const amendedAt = isRepeat || before.amendedAt === undefined ? after.amendedAt : undefined;
  // Also before a follow-up: the process that fired may have crashed, and the synthesis must come first.
  if (after.firedAt !== undefined && (isRepeat || amendedAt !== undefined || before.firedAt === undefined)) {
    const { firedBy = "complete", turnId, traceId } = after;
    if (before.firedAt === undefined) deps.meter.count("batches_total", { agent: agentRef.agent, fired: firedBy });
    deps.logger.info({ batch: turnId, traceId, firedBy, members: countedMembers(after).length }, "batch fired");
    await deps.checkpoint("batch.fired");
    await enqueueTurn(deps, agentRef, synthesisMessage(agentRef, after, after.firedAt));
    await deps.checkpoint("synthesis.published");
  }
  if (amendedAt !== undefined) await enqueueTurn(deps, agentRef, amendmentMessage(agentRef, after, amendedAt));
  if (isOver(after)) await deps.activity.complete(agentRef, after);
  if (!isSettled(after)) return;
  const { ownerId } = after.standing.owner;
  deps.owners.markPublished({ tenant: agentRef.tenant, agent: agentRef.agent, ownerId }, after.turnId);
};

const synthesisMessage = (agentRef: AgentRef, batch: Batch, firedAt: number): SyntheticMessage =>
  syntheticMessage(agentRef, batch, {
    id: synthesisIdOf(batch.turnId),
    type: "synthesis",
    at: isoTime(firedAt),
    data: {
      // The state at the time of firing, even if a repeat publishes it after late members have ended.
      subtasks: countedMembers(batch).map(({ id, name, ended, late = false }) => ({
        id,
        name,
        timedOut: !ended || late,
      })),
      ...(batch.standing.background && { turn: batch.turnId }),
    },
  });

const amendmentMessage = (agentRef: AgentRef, batch: Batch, amendedAt: number): SyntheticMessage =>
  syntheticMessage(agentRef, batch, {
    id: amendmentIdOf(batch.turnId),
    type: "amendment",
    at: isoTime(amendedAt),
    data: {
      subtasks: countedMembers(batch)
        .filter(({ late }) => late)
        .map(({ id, name }) => ({ id, name, timedOut: false })),
    },
  });

/** Saves a result that missed the synthesis in the working memory of the owner (B4). */
export const saveLateResult = async (deps: SubtaskDeps, subtask: Subtask): Promise<void> => {
  const { id, name, status, result, parentSessionId, traceId } = subtask;
  try {
    await addNotification(deps, parentSessionId, {
      key: `notifications/subtasks/${id}`,
      summary: `late result of "${name}" (${status})`,
      text: [result?.output, result?.error].filter(Boolean).join("\n\n"),
    });
  } catch (error) {
    // A full memory must not prevent the follow-up.
    deps.logger.warn({ subtask: id, traceId, error: messageOf(error) }, "could not save late result in memory");
  }
};

/**
 * True while a subtask or another agent works on a batch, or a turn about their results has not ended. `ended` lists
 * the messages whose turns have ended.
 */
export const isOutstanding = (batch: Batch, ended: readonly string[]): boolean => {
  const isOut = batch.members.some(
    ({ reports, awaitedBy, ended: hasEnded }) =>
      // A member that missed the ceiling is not waited for (B3).
      !hasEnded && !awaitedBy && (reports === "alone" || (reports === "batch" && batch.firedAt === undefined)),
  );
  // The turn about an answer may end before its call is counted.
  const isAsked = batch.calls?.some((call) => (!call.ended || call.isLater) && !ended.includes(callbackIdOf(call.id)));
  return isOut || isAsked || (countedMembers(batch).length > 0 && !ended.includes(synthesisIdOf(batch.turnId)));
};

/** Excludes subtasks from their batches because a tool call returns their results. */
export const returnResults = async (
  deps: SubtaskDeps,
  ended: readonly Subtask[],
  idempotencyKey: string,
): Promise<void> => {
  const byTurn = new Map<string, Subtask[]>();
  for (const subtask of ended) byTurn.set(subtask.parentTurnId, [...(byTurn.get(subtask.parentTurnId) ?? []), subtask]);
  for (const [first, ...rest] of byTurn.values()) {
    if (first === undefined) continue;
    const ids = [first, ...rest].map(({ id }) => id);
    await applyBatchEffects(deps, first, await takeReturned(deps, batchOf(first), ids, idempotencyKey));
  }
};

/** Counts the end of a call to another agent, and completes the activity entry if it was the last open work. */
export const endCall = async (
  deps: SubtaskDeps,
  batch: BatchAddress,
  call: Pick<BatchCall, "id" | "isLater">,
): Promise<void> => applyBatchEffects(deps, batch, await countCallEnd(deps, batch, call));
