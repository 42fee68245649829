import { answerCaller } from "../a2a/answer-caller.ts";
import { consumeNotifications } from "../a2a/consume-notifications.ts";
import { endInboundTurn } from "../a2a/inbound/end-inbound-turn.ts";
import { rememberEnded } from "../a2a/inbound/remember-ended.ts";
import { taskOfMessage } from "../a2a/inbound/task-of-turn.ts";
import type { UserMessage } from "../contract/user-message.ts";
import type { TurnEntry } from "../sessions/history-entry.ts";
import { sealTurn } from "../subtasks/seal-turn.ts";
import type { Agent } from "../turns/agent.ts";
import { decideSummary } from "./decide-summary.ts";
import type { TurnRun } from "./end-turn.ts";
import { endTurn } from "./end-turn.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { isForPeople } from "./is-for-people.ts";
import { makeRoom } from "./make-room.ts";
import type { OpenedTurn } from "./open-turn.ts";
import { publishFinal } from "./publish-final.ts";
import { turnMatter } from "./turn-matter.ts";

/**
 * From an open turn to its one published reply; whatever of it is done already is not done again. Undefined: the turn
 * had nothing left to do.
 */
export const answerMessage = async (
  parts: IntakeParts,
  agent: Agent,
  message: UserMessage,
  opened: OpenedTurn,
  run: TurnRun,
): Promise<TurnEntry | undefined> => {
  const { record, seenBefore } = opened;
  const { turnId, sessionId, index } = record;
  // Looked for after the window was read: what is not found up to its end can only be written behind it.
  const ended = seenBefore ? await parts.history.endedTurn(sessionId, index, turnId) : undefined;
  const matter = ended === undefined ? await turnMatter(parts, agent, message) : undefined;
  const task = ended === undefined ? await parts.inbound.standing(message, seenBefore) : undefined;
  if (task === "ended" && matter !== undefined) await rememberEnded(parts, message, matter.text, opened);
  if (matter?.isMoot || task === "ended") return undefined;
  // What must end in words needs its anchor's words too: both are made at the same time.
  const summary = matter?.mustSpeak ? decideSummary(parts, agent, opened) : undefined;
  summary?.catch(() => undefined);
  const isCalled = taskOfMessage(message) !== undefined;
  let settled: Promise<unknown> | undefined;
  const settle = (entry: TurnEntry) => (settled = endInboundTurn(parts, message, entry, task === "new"));
  // At the same time: a round trip less, and where writes are kept in order one commit.
  const alongside = isCalled ? settle : undefined;
  const entry = ended ?? (matter && (await endTurn(parts, agent, message, matter, opened, run, alongside)));
  if (entry === undefined) return undefined;
  await parts.checkpoint("reply.before");
  if (isCalled) await (settled ?? settle(entry));
  else if (isForPeople(record, entry)) {
    await (summary ?? decideSummary(parts, agent, opened));
    await publishFinal(parts, agent, record, entry, ended !== undefined);
  }
  const { worksFor } = record.standing.owner;
  if (worksFor !== undefined) await answerCaller(parts, agent, { worksFor, sessionId, messageId: message.id }, entry);
  await parts.checkpoint("reply.published");
  const session = { tenant: agent.tenant, agent: agent.name, sessionId };
  await consumeNotifications(parts, session, message, entry.messages);
  if (entry.delegated) await sealTurn(parts, agent, record, entry.outcome);
  makeRoom(parts, agent, sessionId);
  return entry;
};
