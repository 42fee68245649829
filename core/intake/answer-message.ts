import type { UserMessage } from "../contract/user-message.ts";
import type { TurnEntry } from "../sessions/history-entry.ts";
import type { Agent } from "../turns/agent.ts";
import { endTurn } from "./end-turn.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { makeRoom } from "./make-room.ts";
import type { OpenedTurn } from "./open-turn.ts";
import { publishFinal } from "./publish-final.ts";

/** From an open turn to its one published reply; whatever of it is done already is not done again. */
export const answerMessage = async (
  parts: IntakeParts,
  agent: Agent,
  message: UserMessage,
  opened: OpenedTurn,
  run: number,
): Promise<TurnEntry> => {
  const { record, seenBefore } = opened;
  const { turnId, sessionId, index } = record;
  // Looked for after the window was read: what is not found up to its end can only be written behind it.
  const ended = seenBefore ? await parts.history.endedTurn(sessionId, index, turnId) : undefined;
  const entry = ended ?? (await endTurn(parts, agent, message, opened, run));
  await parts.checkpoint("reply.before");
  await publishFinal(parts, agent, record, entry, ended !== undefined);
  await parts.checkpoint("reply.published");
  makeRoom(parts, agent, sessionId);
  return entry;
};
