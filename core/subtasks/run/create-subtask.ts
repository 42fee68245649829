import { hash } from "node:crypto";
import { messageOf } from "../../contract/app-error.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import type { Subtask } from "../../contract/messages/subtask.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { TurnYielded } from "../../turns/index.ts";
import { applyBatchEffects } from "../batch/batch-effects.ts";
import { batchOf, countLost, renameMember } from "../batch/batch-transitions.ts";
import { reportEnd } from "../batch/report-end.ts";
import type { SubtaskDeps } from "../deps.ts";
import type { Member } from "../owner/batch.ts";
import { endSubtask } from "../record/end-subtask.ts";
import { readSubtask, writeSubtask } from "../record/subtask-record.ts";

/**
 * Writes the record of a reserved subtask; idempotent. Ids are short: if another subtask has this one, the subtask gets
 * a new id, in its batch too. Resolves to the id.
 */
export const createSubtask = async (deps: SubtaskDeps, wanted: Subtask): Promise<string> => {
  for (let subtask = wanted, next = 1; ; ) {
    if ((await writeSubtask(deps.store, subtask, 0)) !== undefined) {
      reportCreation(deps, subtask);
      return subtask.id;
    }
    const found = await readSubtask(deps.store, subtask);
    if (found?.callKey === subtask.callKey) return subtask.id;
    if (found === undefined) continue;
    subtask = { ...subtask, id: subtaskIdOf(subtask.callKey, next++) };
    await renameMember(deps, batchOf(subtask), subtask);
  }
};

const reportCreation = ({ bus, logger }: SubtaskDeps, subtask: Subtask): void => {
  const { tenant, agent, id, depth, planId, parentTurnId: turnId, owner, reports, traceId } = subtask;
  bus.signal(subjectsOf(tenant).subtaskChanged(agent), subtask);
  logger.info({ subtask: id, depth, planId, turnId, owner: owner.ownerId, reports, traceId }, "subtask created");
};

/**
 * Derives the subtask's id from the tool call. `next` gives another one after a collision. The ids of one call are
 * adjacent, so that the store writes one page of its index instead of one for each.
 */
export const subtaskIdOf = (callKey: string, next = 0): string => {
  const end = callKey.lastIndexOf("/");
  const place = Number(callKey.slice(end + 1))
    .toString(16)
    .padStart(2, "0");
  const call = hash("sha256", JSON.stringify([callKey.slice(0, end), next]), "hex");
  return `subtask-${call.slice(0, 8 - place.length)}${place}`;
};

/** Fails a reserved subtask that could not be started (S7). A turn that yields leaves it to the next process. */
export const failUnstarted = async (
  deps: SubtaskDeps,
  { tenant, agent, turnId, delegationContext, traceId, signal }: ToolContext,
  member: Member,
  error: unknown,
): Promise<Member> => {
  if (signal.reason instanceof TurnYielded) throw error;
  const address = { tenant, agent, id: member.id };
  deps.logger.warn({ subtask: member.id, turnId, traceId, error: messageOf(error) }, "could not start subtask");
  // Another subtask may have its id.
  if ((await readSubtask(deps.store, address))?.callKey !== member.callKey) {
    const batch = { tenant, agent, ownerId: delegationContext.owner.ownerId, turnId };
    await applyBatchEffects(deps, batch, await countLost(deps, batch, [member.id]));
    return member;
  }
  const result = { status: "failed", output: "", error: `It could not be begun: ${messageOf(error)}.` } as const;
  const ended = await endSubtask(deps, address, { status: "failed", result });
  if (ended !== undefined) await reportEnd(deps, ended);
  return member;
};
