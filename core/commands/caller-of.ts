import { type Caller, callerAt } from "../delivery/index.ts";
import type { CommandCall } from "./command.ts";

/** Who gives a command. */
export const callerOf = ({ parts: { store }, message }: CommandCall): Promise<Caller> =>
  callerAt(store, { ...message, accountId: message.account.id });
