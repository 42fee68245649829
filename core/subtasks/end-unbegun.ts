import { messageOf } from "../contract/app-error.ts";
import type { ToolContext } from "../contract/tool.ts";
import { TurnYielded } from "../turns/index.ts";
import { afterGate } from "./after-gate.ts";
import type { Member } from "./batch.ts";
import { endSubtask } from "./change-subtask.ts";
import { countLost } from "./gate.ts";
import { reportEnd } from "./report-end.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { readSubtask } from "./subtask-record.ts";

/** It has its place and could not be begun: it has failed like any other (S7). Who lets go of the turn leaves it as it is. */
export const endUnbegun = async (
  parts: SubtaskParts,
  { tenant, agent, turnId, standing, traceId, signal }: ToolContext,
  member: Member,
  error: unknown,
): Promise<Member> => {
  if (signal.reason instanceof TurnYielded) throw error;
  const address = { tenant, agent, id: member.id };
  parts.logger.warn({ subtask: member.id, turnId, traceId, error: messageOf(error) }, "subtask not begun");
  // Somebody else may have its id.
  if ((await readSubtask(parts.store, address))?.callKey !== member.callKey) {
    const batch = { tenant, agent, ownerId: standing.owner.ownerId, turnId };
    await afterGate(parts, batch, await countLost(parts, batch, [member.id]));
    return member;
  }
  const result = { status: "failed", output: "", error: `It could not be begun: ${messageOf(error)}.` } as const;
  const ended = await endSubtask(parts, address, { status: "failed", result });
  if (ended !== undefined) await reportEnd(parts, ended);
  return member;
};
