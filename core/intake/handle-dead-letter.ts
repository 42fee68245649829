import { AppError } from "../contract/app-error.ts";
import type { DeadLetter } from "../contract/dead-letter.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { publishReply } from "../delivery/index.ts";
import { unlinkedPersonId } from "../people/index.ts";
import type { TurnEntry } from "../sessions/index.ts";
import { rootSpanId } from "../telemetry/index.ts";
import {
  type Agent,
  failureText,
  settledOrigin,
  type TurnRecord,
  turnIdOf,
  turnKey,
  turnSpan,
} from "../turns/index.ts";
import { inheritedWork } from "./inherited-work.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { isForPeople } from "./is-for-people.ts";
import { noteWhereShown } from "./note-where-shown.ts";
import { publishFinal } from "./publish-final.ts";
import { requesterOf } from "./requester-of.ts";

/** A message that could not be handled, or killed its process every time: its sender gets an answer all the same. */
export const handleDeadLetter = async (
  parts: IntakeParts,
  agent: Agent,
  message: UserMessage | undefined,
  letter: DeadLetter,
): Promise<void> => {
  // A message that does not parse has no known sender; operators find the dead letter.
  if (message === undefined) return;
  // No answer is expected: people have already seen the reply that it reports.
  if (message.shown !== undefined) return;
  const { record, entry } = await recordedTurn(parts, message);
  const end = entry ?? { outcome: "failed" as const, finalText: failureText.internal };
  const requester = requesterOf(parts.features, message);
  if (requester) await requester.settle(agent, message, end);
  else if (record === undefined || entry === undefined) await publishFailure(parts, agent, message, letter);
  else if (isForPeople(record, entry)) await publishFinal(parts, agent, record, entry, true);
  for (const hook of parts.features.hooks) await hook.onEnd?.({ agent, message, record, entry, isDeadLetter: true });
  if (record && !entry) {
    const parentId = rootSpanId(record.traceId);
    parts.tracer?.record(turnSpan(agent, record, end, { parentId, endedAt: parts.clock.now() }));
  }
};

/** A waiting person gets a notice; background work ends visibly in its origin conversation (B3). */
const publishFailure = async (
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
    markdown: failureText.internal,
    outcome: "failed",
    mayRepeat: true,
    createdAt: letter.deadAt,
    traceId,
  } as const;
  if (synthetic === undefined) {
    const audience = {
      conversation,
      personId: unlinkedPersonId(tenant, conversation.channel, account.id),
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
