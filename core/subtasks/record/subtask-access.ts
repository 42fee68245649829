import type { SubtaskAddress } from "../../contract/messages/addresses.ts";
import type { Subtask } from "../../contract/messages/subtask.ts";
import type { Store } from "../../contract/ports/store.ts";
import { ToldError } from "../../contract/texts/told-error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { accountServed, callerAt } from "../../delivery/index.ts";
import { readSubtask } from "./subtask-record.ts";

/** The owner or person that acts on a subtask. */
interface Actor {
  /** Absent if a person acts by a command. */
  readonly ownerId?: string;
  /** Limits an owner to the work of this person, because several people can write in its session. */
  readonly personId?: string;
  /** The person who acts; absent for a subagent, which acts only on subtasks it owns. */
  readonly writer?: Parameters<typeof callerAt>[1];
}

/** Reads a subtask that the actor owns, or that is done for the person, by their current accounts (S6). */
export const ownSubtask = async (
  { store }: { readonly store: Store },
  address: SubtaskAddress,
  actor: Actor,
): Promise<Subtask> => {
  const subtask = await readSubtask(store, address);
  if (subtask === undefined) throw new ToldError("not-found", ({ cancel }) => cancel.unknown(address.id));
  const { owner, asker } = subtask;
  const { personId = asker.personId } = actor;
  if (owner.ownerId === actor.ownerId && asker.personId === personId) return subtask;
  const caller = actor.writer && (await callerAt(store, actor.writer));
  if (!caller?.owns(subtask.audience)) {
    throw new ToldError("forbidden", ({ cancel }) => cancel.notYours(subtask.id));
  }
  return subtask;
};

/** A subagent may act on its own subtasks only; a session on all work of its person (S6). */
export const actorOf = (context: ToolContext): Actor => {
  const { delegationContext, tenant, audience } = context;
  const writer = { tenant, conversation: audience.conversation, accountId: accountServed(context).accountId };
  return { ownerId: delegationContext.owner.ownerId, ...(delegationContext.depth === 0 && { writer }) };
};

/** For actions that only the asker may take, also among people who share a room (I3). */
export const askerOf = (context: ToolContext): Actor => ({
  ...actorOf(context),
  personId: context.asker.personId,
});

/** The subtask that the session itself started. Undefined: a subtask on the way has expired. */
export const topSubtaskOf = async (
  { store }: { readonly store: Store },
  subtask: Subtask,
): Promise<Subtask | undefined> => {
  let top: Subtask | undefined = subtask;
  while (top?.parentSubtaskId !== undefined) {
    const { tenant, agent, parentSubtaskId: id }: Subtask = top;
    top = id === undefined ? undefined : await readSubtask(store, { tenant, agent, id });
  }
  return top;
};
