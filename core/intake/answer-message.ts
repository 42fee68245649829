import type { UserMessage } from "../contract/user-message.ts";
import { publishReply } from "../delivery/publish-reply.ts";
import type { TurnEntry } from "../sessions/history-entry.ts";
import type { Agent } from "../turns/agent.ts";
import { endTurn } from "./end-turn.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { makeRoom } from "./make-room.ts";
import type { OpenedTurn } from "./open-turn.ts";

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
  await publishReply(parts.bus, {
    id: `${turnId}/final`,
    tenant: agent.tenant,
    agent: agent.name,
    sessionId,
    kind: "final",
    markdown: entry.finalText,
    outcome: entry.outcome,
    correlationId: record.correlationId,
    origin: record.origin,
    audience: record.audience,
    ...(ended !== undefined && { mayRepeat: true }),
    createdAt: entry.at,
    traceId: record.traceId,
  });
  await parts.checkpoint("reply.published");
  makeRoom(parts, agent, sessionId);
  return entry;
};
