import { answerCaller } from "../a2a/answer-caller.ts";
import { endInboundTurn } from "../a2a/inbound/end-inbound-turn.ts";
import { taskOfMessage } from "../a2a/inbound/task-of-turn.ts";
import { AppError } from "../contract/app-error.ts";
import type { DeadLetter } from "../contract/dead-letter.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { publishReply } from "../delivery/publish-reply.ts";
import { personOf } from "../people/person-of.ts";
import { scheduleRunEnded } from "../schedules/run-ended.ts";
import type { TurnEntry } from "../sessions/history-entry.ts";
import { sealTurn } from "../subtasks/seal-turn.ts";
import { rootSpanId } from "../telemetry/trace-context.ts";
import type { Agent } from "../turns/agent.ts";
import { turnSpan } from "../turns/agent-spans.ts";
import { settledOrigin } from "../turns/summary-record.ts";
import { troubleText } from "../turns/trouble-text.ts";
import type { TurnRecord } from "../turns/turn-record.ts";
import { turnIdOf, turnKey } from "../turns/turn-record.ts";
import { inheritedWork } from "./inherited-work.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { isForPeople } from "./is-for-people.ts";
import { noteWhereShown } from "./note-where-shown.ts";
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
  const end = entry ?? { outcome: "failed" as const, finalText: troubleText.internal };
  if (taskOfMessage(message) !== undefined) await endInboundTurn(parts, message, end);
  else if (record && entry) {
    if (isForPeople(record, entry)) await publishFinal(parts, agent, record, entry, true);
  } else if (worksFor === undefined) await tellOfTrouble(parts, agent, message, letter);
  if (worksFor !== undefined && sessionId !== undefined) {
    await answerCaller(parts, agent, { worksFor, sessionId, messageId: message.id }, end);
  }
  await scheduleRunEnded(parts, message, entry?.outcome ?? "failed");
  // What it has delegated goes on, and must find an end.
  if (record) await sealTurn(parts, agent, record, entry?.outcome);
  if (record && !entry) {
    const parentId = rootSpanId(record.traceId);
    parts.tracer?.record(turnSpan(agent, record, end, { parentId, endedAt: parts.clock.now() }));
  }
};

/** Somebody who waits gets a notice; work that goes on by itself ends visibly where it began (B3). */
const tellOfTrouble = async (
  parts: IntakeParts,
  agent: Agent,
  message: UserMessage,
  letter: DeadLetter,
): Promise<void> => {
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
  if (synthetic === undefined) {
    const audience = {
      conversation,
      personId: personOf(tenant, conversation.channel, account.id),
      accountId: account.id,
    };
    const waiting = { kind: "notice", sessionId: null, correlationId: message.id, origin: null, audience } as const;
    return publishReply(parts.bus, { ...common, ...waiting });
  }
  const { sessionId } = synthetic;
  const work = inheritedWork(message, synthetic);
  const { audience, cause } = work;
  const origin = await settledOrigin(parts.store, agent, work);
  const draft = { ...common, kind: "final", sessionId, origin, audience, ...(cause && { cause }) } as const;
  await publishReply(parts.bus, draft);
  await ifReadable(async () => {
    const said = { kind: "said", replyId: common.id, at: common.createdAt, markdown: common.markdown, origin } as const;
    await parts.history.noteSaid(sessionId, said);
    await noteWhereShown(parts, agent, audience, sessionId, said);
  });
};

/** What is stored of the turn, as far as it came. */
const recordedTurn = async (
  { store, history }: IntakeParts,
  message: UserMessage,
): Promise<{ record?: TurnRecord | undefined; entry?: TurnEntry | undefined }> => {
  const found = await ifReadable(async () => {
    const record = (await store.get(turnKey(message)))?.value;
    return { record, entry: record && (await history.endedTurn(record.sessionId, record.index, record.turnId)) };
  });
  return found ?? {};
};

/** Records that cannot be read must not keep anybody from a word. */
const ifReadable = async <T>(use: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await use();
  } catch (error) {
    if (error instanceof AppError && error.code === "data-unusable") return undefined;
    throw error;
  }
};
