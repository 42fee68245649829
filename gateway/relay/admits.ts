import type { AccessRules } from "../../adapters/contract/config.ts";
import type { Admits } from "../../core/delivery/index.ts";

/**
 * Where a channel's access lets the agent talk (I2). Rooms and workspaces say which shared conversations are open.
 * In a private one it is the account that counts; who is not known there is let in only if everybody is.
 */
export const admits = ({ accounts = "*", rooms = "*", workspaces = "*" }: AccessRules = {}): Admits => {
  const isAccount = oneOf(accounts);
  const isRoom = oneOf(rooms);
  const isWorkspace = oneOf(workspaces);
  return ({ kind, room, workspace }, accountId) =>
    kind === "private" ? isAccount(accountId) : isRoom(room) && isWorkspace(workspace);
};

const oneOf = (ids: "*" | readonly string[]) => {
  if (ids === "*") return () => true;
  const listed = new Set(ids);
  return (id: string | undefined) => id !== undefined && listed.has(id);
};
