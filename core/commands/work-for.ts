import type { Subtask } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import { readOwner } from "../subtasks/owner-record.ts";
import { readSubtasks } from "../subtasks/subtask-record.ts";
import type { CommandCall } from "./command.ts";

/** The delegated work that is under way for the caller, oldest first. */
export const workFor = async ({ parts: { store }, message, record }: CommandCall): Promise<Subtask[]> => {
  const { tenant, agent } = message;
  const { batches } = await readOwner(store, { tenant, agent, ownerId: record.sessionId });
  const open = Object.values(batches)
    .filter(({ asker }) => asker.personId === record.asker.personId)
    .flatMap(({ members }) => members.filter(({ ended }) => !ended));
  const subtasks = await readSubtasks(
    store,
    { tenant, agent },
    open.map(({ id }) => id),
  );
  return subtasks
    .filter((subtask) => !hasEnded(subtask))
    .sort((one, other) => one.createdAt.localeCompare(other.createdAt));
};
