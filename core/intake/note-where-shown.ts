import type { Audience } from "../contract/agent-reply.ts";
import { currentSession, type SaidEntry } from "../sessions/index.ts";
import type { Agent } from "../turns/index.ts";
import type { IntakeParts } from "./intake-parts.ts";

/**
 * Something came by itself where its work began. That conversation may be in another session by now, as after `new`,
 * than the one that knows of it: then that one must know what was said there too (O15). Noting it again changes nothing.
 */
export const noteWhereShown = async (
  { store, history }: Pick<IntakeParts, "store" | "history">,
  { tenant, name: agent }: Agent,
  { conversation }: Audience,
  knownIn: string,
  said: SaidEntry,
): Promise<void> => {
  const shownIn = await currentSession(store, { tenant, agent, conversation });
  if (shownIn !== knownIn) await history.noteSaid(shownIn, said);
};
