import { RevisionConflict } from "../contract/app-error.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { Subtask } from "../contract/subtask.ts";
import { batchOf, renameMember } from "./gate.ts";
import { subtaskIdOf } from "./subtask-id.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { readSubtask, writeSubtask } from "./subtask-record.ts";

/**
 * Writes a subtask that has its place in a batch, unless that was done before. Ids are short: if somebody else has this
 * one, it gets another, in its batch too. Resolves to the id that it has.
 */
export const createSubtask = async (parts: SubtaskParts, wanted: Subtask): Promise<string> => {
  for (let subtask = wanted, next = 1; ; ) {
    try {
      await writeSubtask(parts.store, subtask, 0);
      tell(parts, subtask);
      return subtask.id;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
    const found = await readSubtask(parts.store, subtask);
    if (found?.callKey === subtask.callKey) return subtask.id;
    if (found === undefined) continue;
    subtask = { ...subtask, id: subtaskIdOf(subtask.callKey, next++) };
    await renameMember(parts, batchOf(subtask), subtask);
  }
};

const tell = ({ bus, logger }: SubtaskParts, subtask: Subtask): void => {
  const { tenant, agent, id, depth, planId, parentTurnId: turnId, owner, reports, traceId } = subtask;
  bus.signal(subjectsOf(tenant).subtaskChanged(agent), subtask);
  logger.info({ subtask: id, depth, planId, turnId, owner: owner.ownerId, reports, traceId }, "subtask created");
};
