import type { ToolContext } from "../../contract/tool.ts";
import { accountServed } from "../../delivery/index.ts";
import type { Actor } from "../cancel-subtask.ts";

/** A subtask has a say in its own subtasks only; a session in all that is done for its person (S6). */
export const actorOf = (context: ToolContext): Actor => {
  const { standing, tenant, audience } = context;
  const writer = { tenant, conversation: audience.conversation, accountId: accountServed(context).accountId };
  return { ownerId: standing.owner.ownerId, ...(standing.depth === 0 && { writer }) };
};

/** For what nobody in a room does to another's work: only for whoever asked for it (I3). */
export const askerOf = (context: ToolContext): Actor => ({
  ...actorOf(context),
  personId: context.asker.personId,
});
