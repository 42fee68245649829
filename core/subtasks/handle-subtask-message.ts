import type { Outcome } from "../contract/bus.ts";
import { ack } from "../contract/bus.ts";
import type { Subtask } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import type { SubtaskMessage } from "../contract/subtask-message.ts";
import { wake } from "./after-gate.ts";
import { changeSubtask } from "./change-subtask.ts";
import { hearEnd } from "./hear-end.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { readSubtask } from "./subtask-record.ts";
import { wakeUpMessage } from "./wake-up-message.ts";
import { withNote } from "./with-note.ts";

/** The owner's ear, in order per owner and there as long as its session is: before, during and after any turn (S3). */
export const handleSubtaskMessage = async (parts: SubtaskParts, message: SubtaskMessage): Promise<Outcome> => {
  const { type, owner, traceId } = message;
  const fields = { subtask: message.subtask.id, message: message.id, type, owner: owner.ownerId, traceId };
  parts.logger.debug({ ...fields, ownerType: owner.ownerType }, "message routed");
  if (type === "completion") {
    await hearEnd(parts, message);
    return ack;
  }
  const subtask = await readSubtask(parts.store, message.subtask);
  if (subtask === undefined) parts.logger.warn(fields, "a message from a subtask that is no longer known");
  else if (owner.ownerType === "worker") await passOn(parts, message, subtask);
  else await wake(parts, subtask, wakeUpMessage(message, subtask));
  return ack;
};

/** A subtask that was told so much listens to its own subtasks no more; their ends it hears all the same. */
const MOST_WORDS = 100;

/** To a subtask that owns another, as something it is told before its next step. */
const passOn = async (parts: SubtaskParts, message: SubtaskMessage, from: Subtask): Promise<void> => {
  const { id, type, priority, owner, content, timestamp, subtask } = message;
  const child = { id: from.id, name: from.name, type, priority };
  const note = { id, type: "refinement" as const, child, content, at: timestamp };
  const told = await changeSubtask(parts, { ...subtask, id: owner.ownerId }, (worker) =>
    worker.inbox.length < MOST_WORDS ? withNote(worker, note) : worker,
  );
  if (told?.inbox.some((known) => known.id === id)) return;
  const why = told === undefined || hasEnded(told) ? "its owner has ended" : "its owner was told enough";
  parts.logger.warn({ message: id, owner: owner.ownerId }, `nobody hears this message: ${why}`);
};
