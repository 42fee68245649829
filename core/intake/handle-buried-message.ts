import { answerCaller } from "../a2a/answer-caller.ts";
import { AppError } from "../contract/app-error.ts";
import type { DeadLetter } from "../contract/dead-letter.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { publishReply, type ReplyDraft } from "../delivery/publish-reply.ts";
import { settledOrigin } from "../origin/summary-record.ts";
import { personOf } from "../people/person-of.ts";
import { scheduleRunEnded } from "../schedules/run-ended.ts";
import type { TurnEntry } from "../sessions/history-entry.ts";
import { sealTurn } from "../subtasks/seal-turn.ts";
import type { Agent } from "../turns/agent.ts";
import { troubleText } from "../turns/trouble-text.ts";
import type { TurnRecord } from "../turns/turn-record.ts";
import { turnIdOf, turnKey } from "../turns/turn-record.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { isForPeople } from "./is-for-people.ts";
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
  // Nobody waits for it: people have seen what it tells of.
  if (message.shown !== undefined) return;
  const { record, entry } = await recordedTurn(parts, message);
  const { sessionId, owner: { worksFor } = {} } = message.synthetic ?? {};
  if (record && entry) {
    const shown = { ...record, origin: await settledOrigin(parts.store, agent, record) };
    if (isForPeople(record, entry)) await publishFinal(parts, agent, shown, entry, true);
  } else if (worksFor === undefined) await publishReply(parts.bus, trouble(agent, message, letter));
  const end = entry ?? { outcome: "failed" as const, finalText: troubleText.internal };
  if (worksFor !== undefined && sessionId !== undefined) await answerCaller(parts, { worksFor, sessionId }, end);
  await scheduleRunEnded(parts, message, entry?.outcome ?? "failed");
  // What it has delegated goes on, and must find an end.
  if (record) await sealTurn(parts, agent, record);
};

/** Somebody who waits gets a notice; work that goes on by itself ends visibly where it began (B3). */
const trouble = (agent: Agent, message: UserMessage, letter: DeadLetter): ReplyDraft => {
  const { tenant, conversation, account, traceId, synthetic } = message;
  const common = {
    id: `${turnIdOf(message)}/trouble`,
    tenant: agent.tenant,
    agent: agent.name,
    markdown: troubleText.internal,
    outcome: "failed",
    mayRepeat: true,
    createdAt: letter.deadAt,
    traceId,
  } as const;
  if (synthetic !== undefined) {
    const { sessionId, origin, audience } = synthetic;
    return { ...common, sessionId, kind: "final", origin, audience };
  }
  const personId = personOf(tenant, conversation.channel, account.id);
  const audience = { conversation, personId, accountId: account.id };
  return { ...common, sessionId: null, kind: "notice", correlationId: message.id, origin: null, audience };
};

/** What is stored of the turn, as far as it came. Records that cannot be read must not keep the writer from a word. */
const recordedTurn = async (
  { store, history }: IntakeParts,
  message: UserMessage,
): Promise<{ record?: TurnRecord | undefined; entry?: TurnEntry | undefined }> => {
  try {
    const record = (await store.get(turnKey(message)))?.value;
    return { record, entry: record && (await history.endedTurn(record.sessionId, record.index, record.turnId)) };
  } catch (error) {
    if (error instanceof AppError && error.code === "data-unusable") return {};
    throw error;
  }
};
