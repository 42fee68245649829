import type { BatchTimer } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { parentContextOf } from "../../contract/messages/subtask.ts";
import { type WorkContext, workContextOf } from "../../contract/messages/work-context.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { deliverToSubtask, endCall, enqueueTurn, type SubtaskDeps, topSubtaskOf } from "../../subtasks/index.ts";
import type { ApprovalDeps } from "../deps.ts";
import type { Approval } from "../record/approval-record.ts";
import { approvalMessage } from "./approval-turn.ts";
import { outcomeText } from "./outcome-text.ts";

/**
 * Reports a decided call to the work that made it: a running subtask gets a note, otherwise the session gets a turn. Work
 * that was cancelled gets nothing. Idempotent, because every message has a fixed id.
 */
export const reportOutcome = async (deps: ApprovalDeps, approval: Approval): Promise<void> => {
  const { tenant, agent, id, turnId, standing } = approval;
  const isLater = approval.state !== "withdrawn";
  if (isLater) await tellWork(deps, approval);
  await deps.checkpoint("approval.told");
  // After the report, because the count resumes a waiting subtask, which then reads the note.
  await countEnd(deps, { tenant, agent, ownerId: standing.owner.ownerId, turnId }, { id, isLater });
};

/** Counts the end of the call in its batch, and wakes a subtask that waits for it. */
export const countEnd = async (
  deps: SubtaskDeps,
  batch: BatchTimer,
  call: { readonly id: string; readonly isLater: boolean },
): Promise<void> => {
  const { tenant, agent } = batch;
  await endCall(deps, batch, call);
  deps.bus.signal(subjectsOf(tenant).peerCallChanged(agent), { tenant, agent, id: call.id });
};

const tellWork = async (deps: ApprovalDeps, approval: Approval): Promise<void> => {
  const { subtaskId } = approval.standing;
  const work = subtaskId === undefined ? workContextOf(approval) : await tellSubtask(deps, approval, subtaskId);
  if (work !== undefined) await enqueueTurn(deps, approval, approvalMessage(approval, work));
};

/** Resolves to the work of the session if the subtask has ended, so that the session gets the outcome (L1). */
const tellSubtask = async (
  deps: ApprovalDeps,
  approval: Approval,
  subtaskId: string,
): Promise<WorkContext | undefined> => {
  const { tenant, agent, id, traceId } = approval;
  const note = {
    id: `${id}/outcome`,
    type: "answer" as const,
    isApproval: true,
    content: outcomeText(approval),
    at: isoTime(deps.clock.now()),
  };
  const subtask = await deliverToSubtask(deps, { tenant, agent, id: subtaskId }, { note });
  const top = subtask && (await topSubtaskOf(deps, subtask));
  if (subtask === undefined || top === undefined) {
    deps.logger.warn({ approval: id, subtask: subtaskId, traceId }, "subtask has expired, outcome dropped");
    return undefined;
  }
  if (subtask.inbox.some((one) => one.id === note.id)) return undefined;
  // A cancelled subtask has no reader for what it asked.
  if (subtask.status === "cancelled") return undefined;
  return { ...parentContextOf(top), traceId };
};
