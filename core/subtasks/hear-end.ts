import type { SubtaskMessage } from "../contract/subtask-message.ts";
import { afterGate, keepLateResult, wake } from "./after-gate.ts";
import { countEnd, countLost } from "./gate.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { readSubtask } from "./subtask-record.ts";
import { unlessUnreadable } from "./unless-unreadable.ts";
import { wakeUpMessage } from "./wake-up-message.ts";

/** An end, on its way to the gate, and to the owner if it reports alone. Hearing it again changes nothing. */
export const hearEnd = async (parts: SubtaskParts, message: SubtaskMessage): Promise<void> => {
  const { id, tenant, agent } = message.subtask;
  await parts.checkpoint("end.received", id);
  const subtask = await unlessUnreadable(readSubtask(parts.store, message.subtask));
  if (subtask === undefined) {
    const { ownerId } = message.owner;
    parts.logger.warn({ subtask: id, owner: ownerId, traceId: message.traceId }, "a subtask has ended without a trace");
    await afterGate(
      parts,
      message.subtask,
      await countLost(parts, { tenant, agent, ownerId, turnId: message.turnId }, [id]),
    );
    return;
  }
  const change = await countEnd(parts, subtask);
  await parts.checkpoint("end.counted");
  const member = change?.after.members.find((one) => one.id === id);
  if (member?.late) await keepLateResult(parts, subtask);
  await afterGate(parts, subtask, change);
  const tellsAlone = member?.reports === "alone" && member.awaitedBy === undefined;
  if (tellsAlone && subtask.owner.ownerType !== "worker") await wake(parts, subtask, wakeUpMessage(message, subtask));
};
