import { AppError } from "../contract/app-error.ts";
import type { DeadLetter } from "../contract/dead-letter.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { publishReply } from "../delivery/publish-reply.ts";
import { personOf } from "../people/person-of.ts";
import type { TurnEntry } from "../sessions/history-entry.ts";
import type { Agent } from "../turns/agent.ts";
import { troubleText } from "../turns/trouble-text.ts";
import type { TurnRecord } from "../turns/turn-record.ts";
import { turnIdOf, turnKey } from "../turns/turn-record.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { publishFinal } from "./publish-final.ts";

/** A message that could not be handled, or killed its process every time: its writer must not wait in vain. */
export const handleBuriedMessage = async (
  parts: IntakeParts,
  agent: Agent,
  message: UserMessage | undefined,
  letter: DeadLetter,
): Promise<void> => {
  // What does not parse has nobody that an answer could go to; whoever runs the service finds the letter.
  if (message === undefined) return;
  const ended = await endedTurn(parts, message);
  if (ended) return publishFinal(parts, agent, ended.record, ended.entry, true);
  const { tenant, conversation, account, traceId } = message;
  await publishReply(parts.bus, {
    id: `${turnIdOf(message)}/trouble`,
    tenant: agent.tenant,
    agent: agent.name,
    sessionId: null,
    kind: "notice",
    markdown: troubleText.internal,
    outcome: "failed",
    correlationId: message.id,
    origin: null,
    audience: { conversation, personId: personOf(tenant, conversation.channel, account.id) },
    mayRepeat: true,
    createdAt: letter.deadAt,
    traceId,
  });
};

/** The answer, if the turn came that far. Records that cannot be read must not keep the writer from a word. */
const endedTurn = async (
  { store, history }: IntakeParts,
  message: UserMessage,
): Promise<{ record: TurnRecord; entry: TurnEntry } | undefined> => {
  try {
    const record = (await store.get(turnKey(message)))?.value;
    const entry = record && (await history.endedTurn(record.sessionId, record.index, record.turnId));
    return record && entry && { record, entry };
  } catch (error) {
    if (error instanceof AppError && error.code === "data-unusable") return undefined;
    throw error;
  }
};
