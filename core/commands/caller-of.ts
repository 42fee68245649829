import type { Caller } from "../delivery/caller.ts";
import { callerAt } from "../delivery/caller.ts";
import type { CommandCall } from "./command.ts";

/** Who gives a command. */
export const callerOf = ({ parts: { store }, message }: CommandCall): Promise<Caller> =>
  callerAt(store, { ...message, accountId: message.account.id });
