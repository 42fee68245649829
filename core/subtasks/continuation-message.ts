import type { Subtask } from "../contract/subtask.ts";
import type { Synthetic } from "../contract/synthetic.ts";
import type { UserMessage } from "../contract/user-message.ts";
import type { Inherited } from "../turns/index.ts";

interface Continuation {
  /** The same cause always gives the same id. */
  readonly id: string;
  readonly type: Exclude<Synthetic["type"], "task">;
  readonly at: string;
  readonly data: Record<string, unknown>;
}

/** A message to the owner's session that no person wrote. It inherits origin and audience (O2). */
export const continuationMessage = (
  { tenant, agent }: Pick<Subtask, "tenant" | "agent">,
  { sessionId, standing, origin, audience, asker, traceId }: Inherited,
  { id, type, at, data }: Continuation,
): UserMessage => ({
  id,
  tenant,
  agent,
  conversation: audience.conversation,
  account: { id: asker.accountId, name: asker.name },
  text: "",
  attachments: [],
  synthetic: {
    type,
    sessionId,
    origin,
    audience,
    asker,
    owner: standing.owner,
    rootTurnId: standing.rootTurnId,
    background: standing.background,
    ...(standing.chain !== undefined && { chain: standing.chain }),
    data,
  },
  ...(standing.owner.sessionUri !== undefined && { link: standing.owner.sessionUri }),
  sentAt: at,
  traceId,
});
