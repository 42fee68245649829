import type { Synthetic } from "../contract/synthetic.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { causeOf } from "../origin/index.ts";
import { type TurnRecord, turnIdOf } from "../turns/index.ts";

/** What goes on with a piece of work keeps its origin and its audience (O2). Nobody waits for it. */
export const inheritedWork = (
  message: UserMessage,
  synthetic: Synthetic,
): Pick<TurnRecord, "origin" | "audience" | "asker" | "cause" | "standing"> => {
  const { origin, audience, asker, owner, rootTurnId, background, chain } = synthetic;
  const turnId = turnIdOf(message);
  return {
    origin,
    audience,
    asker,
    cause: causeOf(synthetic, turnId),
    standing: {
      owner,
      depth: 0,
      rootTurnId: rootTurnId ?? turnId,
      background,
      ...(chain !== undefined && { chain }),
    },
  };
};
