import type { Outcome } from "../contract/bus.ts";
import { ack } from "../contract/bus.ts";
import type { Subtask } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import type { SubtaskMessage } from "../contract/subtask-message.ts";
import { afterGate, keepLateResult, wake } from "./after-gate.ts";
import { changeSubtask } from "./change-subtask.ts";
import { continuationMessage } from "./continuation-message.ts";
import { countEnd } from "./gate.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { readSubtask } from "./subtask-record.ts";

/** The owner's ear, in order per owner and there as long as its session is: before, during and after any turn (S3). */
export const handleSubtaskMessage = async (parts: SubtaskParts, message: SubtaskMessage): Promise<Outcome> => {
  const { type, owner, traceId } = message;
  const subtask = await readSubtask(parts.store, message.subtask);
  const fields = { subtask: message.subtask.id, message: message.id, type, owner: owner.ownerId, traceId };
  if (subtask === undefined) {
    parts.logger.warn(fields, "a message from a subtask that is no longer known");
    return ack;
  }
  parts.logger.debug({ ...fields, ownerType: owner.ownerType }, "message routed");
  if (type === "completion") return hearEnd(parts, message, subtask);
  if (owner.ownerType === "worker") return passOn(parts, message, subtask);
  await wake(parts, subtask, wakeUp(message, subtask));
  return ack;
};

const hearEnd = async (parts: SubtaskParts, message: SubtaskMessage, subtask: Subtask): Promise<Outcome> => {
  await parts.checkpoint("end.received");
  const change = await countEnd(parts, subtask);
  await parts.checkpoint("end.counted");
  const member = change?.after.members.find(({ id }) => id === subtask.id);
  if (member?.late) await keepLateResult(parts, subtask);
  await afterGate(parts, subtask, change);
  const tellsAlone = member?.reports === "alone" && member.awaitedBy === undefined;
  if (tellsAlone && subtask.owner.ownerType !== "worker") await wake(parts, subtask, wakeUp(message, subtask));
  return ack;
};

/** To a subtask that owns another, as something it is told before its next step. */
const passOn = async (parts: SubtaskParts, message: SubtaskMessage, from: Subtask): Promise<Outcome> => {
  const { id, type, owner, content, timestamp, subtask } = message;
  const note = { id, type: "refinement" as const, content: `Your ${from.id} (${type}): ${content}`, at: timestamp };
  const told = await changeSubtask(parts, { ...subtask, id: owner.ownerId }, (worker) =>
    hasEnded(worker) || worker.inbox.some((known) => known.id === id)
      ? worker
      : { ...worker, inbox: [...worker.inbox, note] },
  );
  if (told === undefined || hasEnded(told)) {
    parts.logger.warn({ message: id, owner: owner.ownerId }, "nobody hears this message: its owner has ended");
  }
  return ack;
};

const wakeUp = (message: SubtaskMessage, subtask: Subtask) => {
  const { parentSessionId: sessionId, owner, planId: rootTurnId, background, depth } = subtask;
  const standing = { owner, depth: depth - 1, rootTurnId, background };
  return continuationMessage(
    subtask,
    { ...subtask, sessionId, standing },
    {
      id: `wake/${message.id}`,
      type: "wake-up",
      at: message.timestamp,
      data: { type: message.type, subtask: subtask.id, name: subtask.name, content: message.content },
    },
  );
};
