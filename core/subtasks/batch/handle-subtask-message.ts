import { hasEnded, type Subtask, type SubtaskMessage } from "../../contract/messages/subtask.ts";
import { ack, type DeadLetter, type Outcome } from "../../contract/ports/bus.ts";
import { deadLetterFallback } from "../../lib/index.ts";
import type { SubtaskDeps } from "../deps.ts";
import { changeSubtask, withNote } from "../record/change-subtask.ts";
import { readSubtask, undefinedIfCorrupt } from "../record/subtask-record.ts";
import { applyBatchEffects, saveLateResult } from "./batch-effects.ts";
import { countEnd, countLost } from "./batch-transitions.ts";
import { enqueueTurn, ownerMessageIdOf, wakeUpMessage } from "./continuation-message.ts";

/** Handles messages of subtasks to an owner, in order per owner and independent of its turns (S3). */
export const handleSubtaskMessage = async (deps: SubtaskDeps, message: SubtaskMessage): Promise<Outcome> => {
  const { type, owner, traceId } = message;
  const fields = { subtask: message.subtask.id, message: message.id, type, owner: owner.ownerId, traceId };
  deps.logger.debug({ ...fields, ownerType: owner.ownerType }, "message routed");
  if (type === "completion") {
    await handleCompletion(deps, message);
    return ack;
  }
  const subtask = await readSubtask(deps.store, message.subtask);
  if (subtask === undefined) deps.logger.warn(fields, "subtask has expired, message dropped");
  else if (type === "status_update" && owner.ownerType !== "worker")
    deps.logger.debug(fields, "progress is in the record");
  else if (owner.ownerType === "worker") await forwardToParent(deps, message, subtask);
  else await enqueueTurn(deps, subtask, wakeUpMessage(message, subtask));
  return ack;
};

/** Length of an inbox from which on it accepts no messages of children; completions are not limited. */
const MAX_INBOX = 100;
/** Progress leaves room for questions. */
const MAX_INBOX_FOR_PROGRESS = 50;

/** Delivers the message of a child to the subtask that owns it, as a note before its next step. */
const forwardToParent = async (deps: SubtaskDeps, message: SubtaskMessage, from: Subtask): Promise<void> => {
  const { id, type, priority, owner, content, timestamp, subtask } = message;
  const child = { id: from.id, name: from.name, type, priority };
  const note = { id, type: "refinement" as const, child, content, at: timestamp };
  const max = type === "status_update" ? MAX_INBOX_FOR_PROGRESS : MAX_INBOX;
  const changed = await changeSubtask(deps, { ...subtask, id: owner.ownerId }, (parent) =>
    parent.inbox.length < max ? withNote(parent, note) : parent,
  );
  if (changed?.inbox.some((known) => known.id === id)) return;
  const isFull = changed !== undefined && !hasEnded(changed);
  const why = isFull ? "the inbox of its owner is full" : "its owner has ended";
  deps.logger.warn({ message: id, owner: owner.ownerId, reason: why }, "subtask message dropped");
  if (isFull && type !== "status_update") await reportUndelivered(deps, message);
};

/** Reports to the sender that its owner does not get a message, and ends its wait for the answer. Idempotent. */
const reportUndelivered = async (deps: SubtaskDeps, message: SubtaskMessage): Promise<void> => {
  const { id, type, timestamp, subtask } = message;
  const content =
    `Your message of type ${type} was not delivered: your owner has ${MAX_INBOX} messages, which is the maximum. ` +
    "Continue without an answer, or end your work.";
  await changeSubtask(deps, subtask, (sender) => {
    const isOpenQuestion = sender.questionKey !== undefined && ownerMessageIdOf(sender.id, sender.questionKey) === id;
    const note = {
      id: `${id}/undelivered`,
      type: isOpenQuestion ? "answer" : "refinement",
      content,
      at: timestamp,
    } as const;
    const noted = withNote(sender, note);
    if (noted === sender || !isOpenQuestion) return noted;
    const { question: _, ...rest } = noted;
    return rest;
  });
};

/** Counts an end in its batch, and enqueues a turn of the owner if the subtask reports alone. Idempotent. */
const handleCompletion = async (deps: SubtaskDeps, message: SubtaskMessage): Promise<void> => {
  const { id, tenant, agent } = message.subtask;
  await deps.checkpoint("end.received", id);
  const subtask = await undefinedIfCorrupt(readSubtask(deps.store, message.subtask));
  if (subtask === undefined) {
    const { ownerId } = message.owner;
    deps.logger.warn(
      { subtask: id, owner: ownerId, traceId: message.traceId },
      "ended subtask has no record, counted as lost",
    );
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
  if (member?.late) await saveLateResult(deps, subtask);
  await applyBatchEffects(deps, subtask, change);
  const reportsAlone = member?.reports === "alone" && member.awaitedBy === undefined;
  if (reportsAlone && subtask.owner.ownerType !== "worker")
    await enqueueTurn(deps, subtask, wakeUpMessage(message, subtask));
};

/**
 * Counts a completion that became a dead letter, so that its batch need not wait for the ceiling (S7). The sender of a
 * question continues without an answer after its timeout.
 */
export const handleSubtaskMessageDeadLetter = async (
  deps: SubtaskDeps,
  message: SubtaskMessage | undefined,
  letter: DeadLetter,
): Promise<void> => {
  if (message?.type === "completion")
    await deadLetterFallback(deps.logger, letter, () => handleCompletion(deps, message));
};
