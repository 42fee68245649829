import { hasEnded, type Subtask } from "../contract/subtask.ts";
import { type Caller, callerAt } from "../delivery/index.ts";
import { ownersWorkingFor, readOwner, readSubtasks } from "../subtasks/index.ts";
import type { CommandCall } from "./command.ts";

/** The person who gives a command. */
export const callerOf = ({ deps: { store }, message }: CommandCall): Promise<Caller> =>
  callerAt(store, { ...message, accountId: message.account.id });

/** The running subtasks of the caller over all their accounts, oldest first. */
export const workFor = async (
  { deps: { store }, message }: CommandCall,
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
