import type { Subtask } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import type { Caller } from "../delivery/index.ts";
import { ownersWorkingFor, readOwner, readSubtasks } from "../subtasks/index.ts";
import type { CommandCall } from "./command.ts";

/** The delegated work that is under way for the caller, whichever account asked for it, oldest first. */
export const workFor = async (
  { parts: { store }, message }: CommandCall,
  { accounts, owns }: Caller,
): Promise<Subtask[]> => {
  const { tenant, agent } = message;
  const owners = await Promise.all(accounts.map((account) => ownersWorkingFor(store, { tenant, agent, ...account })));
  const records = await Promise.all(
    [...new Set(owners.flat())].map((ownerId) => readOwner(store, { tenant, agent, ownerId })),
  );
  const open = records
    .flatMap(({ batches }) => Object.values(batches))
    .filter(({ audience }) => owns(audience))
    .flatMap(({ members }) => members.filter(({ ended }) => !ended));
  const ids = open.map(({ id }) => id);
  return (await readSubtasks(store, { tenant, agent }, ids))
    .filter((subtask) => !hasEnded(subtask))
    .sort((one, other) => one.createdAt.localeCompare(other.createdAt));
};
