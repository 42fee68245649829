import type { Subtask } from "../contract/subtask.ts";
import { type Caller, callerAt } from "../delivery/index.ts";
import { openSubtasksFor } from "../subtasks/index.ts";
import type { CommandCall } from "./command.ts";

/** The person who gives a command. */
export const callerOf = ({ deps: { store }, message }: CommandCall): Promise<Caller> =>
  callerAt(store, { ...message, accountId: message.account.id });

/** The running subtasks of the caller over all their accounts, oldest first. */
export const workFor = ({ deps: { store }, message }: CommandCall, caller: Caller): Promise<Subtask[]> =>
  openSubtasksFor(store, message, caller);
