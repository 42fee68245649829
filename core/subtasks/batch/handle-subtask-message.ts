import { ack, type Outcome } from "../../contract/bus.ts";
import type { DeadLetter } from "../../contract/dead-letter.ts";
import { hasEnded, type Subtask } from "../../contract/subtask.ts";
import type { SubtaskMessage } from "../../contract/subtask-message.ts";
import { deadLetterFallback } from "../../lib/index.ts";
import { enqueueTurn, wakeUpMessage } from "../continuation/continuation-message.ts";
import type { SubtaskDeps } from "../deps.ts";
import { changeSubtask } from "../record/change-subtask.ts";
import { withNote } from "../record/subtask-note.ts";
import { readSubtask, undefinedIfCorrupt } from "../record/subtask-record.ts";
import { applyBatchEffects, keepLateResult } from "./batch-effects.ts";
import { countEnd, countLost } from "./batch-transitions.ts";

/** The owner's ear, in order per owner and there as long as its session is: before, during and after any turn (S3). */
export const handleSubtaskMessage = async (deps: SubtaskDeps, message: SubtaskMessage): Promise<Outcome> => {
  const { type, owner, traceId } = message;
  const fields = { subtask: message.subtask.id, message: message.id, type, owner: owner.ownerId, traceId };
  deps.logger.debug({ ...fields, ownerType: owner.ownerType }, "message routed");
  if (type === "completion") {
    await handleCompletion(deps, message);
    return ack;
  }
  const subtask = await readSubtask(deps.store, message.subtask);
  if (subtask === undefined) deps.logger.warn(fields, "a message from a subtask that is no longer known");
  else if (owner.ownerType === "worker") await passOn(deps, message, subtask);
  else await enqueueTurn(deps, subtask, wakeUpMessage(message, subtask));
  return ack;
};

/** A subtask that was told so much listens to its own subtasks no more; their ends it hears all the same. */
const MAX_WORDS = 100;

/** To a subtask that owns another, as something it is told before its next step. */
const passOn = async (deps: SubtaskDeps, message: SubtaskMessage, from: Subtask): Promise<void> => {
  const { id, type, priority, owner, content, timestamp, subtask } = message;
  const child = { id: from.id, name: from.name, type, priority };
  const note = { id, type: "refinement" as const, child, content, at: timestamp };
  const told = await changeSubtask(deps, { ...subtask, id: owner.ownerId }, (worker) =>
    worker.inbox.length < MAX_WORDS ? withNote(worker, note) : worker,
  );
  if (told?.inbox.some((known) => known.id === id)) return;
  const why = told === undefined || hasEnded(told) ? "its owner has ended" : "its owner was told enough";
  deps.logger.warn({ message: id, owner: owner.ownerId }, `nobody hears this message: ${why}`);
};

/** An end, on its way to the gate, and to the owner if it reports alone. Hearing it again changes nothing. */
export const handleCompletion = async (deps: SubtaskDeps, message: SubtaskMessage): Promise<void> => {
  const { id, tenant, agent } = message.subtask;
  await deps.checkpoint("end.received", id);
  const subtask = await undefinedIfCorrupt(readSubtask(deps.store, message.subtask));
  if (subtask === undefined) {
    const { ownerId } = message.owner;
    deps.logger.warn({ subtask: id, owner: ownerId, traceId: message.traceId }, "a subtask has ended without a trace");
    await applyBatchEffects(
      deps,
      message.subtask,
      await countLost(deps, { tenant, agent, ownerId, turnId: message.turnId }, [id]),
    );
    return;
  }
  const change = await countEnd(deps, subtask);
  await deps.checkpoint("end.counted");
  const member = change?.after.members.find((one) => one.id === id);
  if (member?.late) await keepLateResult(deps, subtask);
  await applyBatchEffects(deps, subtask, change);
  const tellsAlone = member?.reports === "alone" && member.awaitedBy === undefined;
  if (tellsAlone && subtask.owner.ownerType !== "worker")
    await enqueueTurn(deps, subtask, wakeUpMessage(message, subtask));
};

/**
 * A word to an owner that could not be heard. An end is counted all the same, or everybody would wait for it until the
 * ceiling (S7). Whoever asked something goes on without an answer when its wait is over.
 */
export const handleSubtaskMessageDeadLetter = async (
  deps: SubtaskDeps,
  message: SubtaskMessage | undefined,
  letter: DeadLetter,
): Promise<void> => {
  if (message?.type === "completion")
    await deadLetterFallback(deps.logger, letter, () => handleCompletion(deps, message));
};
