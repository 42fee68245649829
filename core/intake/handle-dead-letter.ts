import { AppError } from "../contract/app-error.ts";
import type { TurnMessage, UserMessage } from "../contract/messages/user-message.ts";
import type { DeadLetter } from "../contract/ports/bus.ts";
import { english, textsFor } from "../contract/texts/texts.ts";
import { publishReply } from "../delivery/index.ts";
import { unlinkedPersonId } from "../people/index.ts";
import type { TurnEntry } from "../sessions/index.ts";
import { rootSpanId } from "../telemetry/index.ts";
import type { Agent } from "../turns/index.ts";
import { turnSpan } from "../turns/index.ts";
import { type TurnRecord, turnIdOf, turnKey } from "../turns/record/index.ts";
import { isForPeople, noteWhereShown, publishFinal, requesterOf } from "./answer-message.ts";
import type { IntakeDeps } from "./intake-deps.ts";
import { settledOrigin } from "./prompt-summary.ts";
import { inheritedWork } from "./resolve-turn.ts";

/** Answers the sender of a message that could not be handled, or that crashed its process each time. */
export const handleDeadLetter = async (
  deps: IntakeDeps,
  agent: Agent,
  message: UserMessage | undefined,
  letter: DeadLetter,
): Promise<void> => {
  // A message that does not parse has no known sender; operators find the dead letter.
  if (message === undefined) return;
  // No answer is expected: people have already seen the reply that it reports.
  if (message.kind === "shown" || message.kind === "edit") return;
  const { record, entry } = await recordedTurn(deps, message);
  const end = entry ?? { outcome: "failed" as const, finalText: english.failures.internal };
  const requester = requesterOf(deps.features, message);
  if (requester) await requester.settle(agent, end);
  else if (record === undefined || entry === undefined)
    await publishFailure(deps, agent, message, letter, localeOf(agent, message, record));
  else if (isForPeople(record, entry)) await publishFinal(deps, agent, record, entry, true);
  for (const hook of deps.features.hooks) await hook.onEnd?.({ agent, message, record, entry, isDeadLetter: true });
  if (record && !entry) {
    const parentId = rootSpanId(record.traceId);
    deps.tracer?.record(turnSpan(agent, record, end, { parentId, endedAt: deps.clock.now() }));
  }
};

/** The asker's locale; a message without a record was never resolved, so its platform's counts. */
const localeOf = (agent: Agent, message: TurnMessage, record: TurnRecord | undefined): string | undefined => {
  if (message.kind === "synthetic") return message.synthetic.asker.locale;
  const { account, conversation } = message;
  return record?.asker.locale ?? account.locale ?? agent.defaultsOn(conversation.channel).locale;
};

/** A waiting person gets a notice; background work ends visibly in its origin conversation (B3). */
const publishFailure = async (
  deps: IntakeDeps,
  agent: Agent,
  message: TurnMessage,
  letter: DeadLetter,
  locale: string | undefined,
): Promise<void> => {
  const { tenant, conversation, account, traceId } = message;
  const common = {
    id: `${turnIdOf(message)}/trouble`,
    tenant: agent.tenant,
    agent: agent.name,
    markdown: textsFor(locale).failures.internal,
    outcome: "failed",
    mayRepeat: true,
    createdAt: letter.deadAt,
    traceId,
  } as const;
  if (message.kind !== "synthetic") {
    const audience = {
      conversation,
      personId: unlinkedPersonId(tenant, conversation.channel, account.id),
      accountId: account.id,
    };
    const waiting = { kind: "notice", sessionId: null, correlationId: message.id, origin: null, audience } as const;
    return publishReply(deps.bus, { ...common, ...waiting });
  }
  const { sessionId } = message.synthetic;
  const work = inheritedWork(message);
  const { audience, cause } = work;
  const origin = await settledOrigin(deps.store, agent, work);
  const draft = { ...common, kind: "final", sessionId, origin, audience, ...(cause && { cause }) } as const;
  await publishReply(deps.bus, draft);
  await undefinedIfCorrupt(async () => {
    const entry = {
      kind: "said",
      replyId: common.id,
      at: common.createdAt,
      markdown: common.markdown,
      origin,
    } as const;
    await deps.history.noteReply(sessionId, entry);
    await noteWhereShown(deps, agent, audience, sessionId, entry);
  });
};

/** The stored records of the turn, as far as it ran. */
const recordedTurn = async (
  { store, history }: IntakeDeps,
  message: TurnMessage,
): Promise<{ record?: TurnRecord | undefined; entry?: TurnEntry | undefined }> => {
  const found = await undefinedIfCorrupt(async () => {
    const record = (await store.get(turnKey(message)))?.value;
    return { record, entry: record && (await history.endedTurn(record.sessionId, record.index, record.turnId)) };
  });
  return found ?? {};
};

/** Corrupt records must not prevent the failure notice. */
const undefinedIfCorrupt = async <T>(use: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await use();
  } catch (error) {
    if (error instanceof AppError && error.code === "data-unusable") return undefined;
    throw error;
  }
};
