import { AppError } from "../contract/app-error.ts";
import type { FromPerson, SyntheticMessage, TurnMessage } from "../contract/messages/user-message.ts";
import type { Audience } from "../contract/messages/work-context.ts";
import { publishReply } from "../delivery/index.ts";
import { currentSession, type ReplyEntry, type TurnEntry } from "../sessions/index.ts";
import type { Agent } from "../turns/index.ts";
import { textsOf } from "../turns/index.ts";
import { finalIdOf, type TurnRecord } from "../turns/record/index.ts";
import type { TurnFeatures, TurnPrompt, TurnRequester, TurnSources } from "../turns/source/index.ts";
import { compactSessionAsync } from "./compact-session-async.ts";
import type { IntakeDeps } from "./intake-deps.ts";
import { filesOfMessage, type MessageFiles } from "./message-files.ts";
import type { OpenedTurn } from "./open-turn.ts";
import { decideSummary, settledOrigin } from "./prompt-summary.ts";
import { runAndRecordTurn, type TurnRun } from "./run-and-record-turn.ts";

/**
 * Runs an open turn up to its published result, and skips steps that an earlier run completed. Undefined: the turn had
 * nothing left to do.
 */
export const answerMessage = async (
  deps: IntakeDeps,
  agent: Agent,
  message: TurnMessage,
  opened: OpenedTurn,
  run: TurnRun,
): Promise<TurnEntry | undefined> => {
  const { features, history } = deps;
  const { record, seenBefore } = opened;
  const { turnId, sessionId, index } = record;
  const requester = requesterOf(features, message);
  // Read after the window: an entry that is missing up to the window's end can only be written behind it.
  const ended = seenBefore ? await history.endedTurn(sessionId, index, turnId) : undefined;
  const prompt = ended === undefined ? await turnPrompt(deps, agent, message, record) : undefined;
  const state = ended === undefined ? await requester?.stateOf?.(seenBefore) : undefined;
  if (prompt !== undefined && state === "ended") await requester?.backfill?.(prompt.text, opened);
  if (prompt?.obsolete || state === "ended") return undefined;
  if (prompt?.notice !== undefined) await publishNotice(deps, agent, record, prompt.notice);
  // A turn that must reply needs its anchor's summary too: the model writes both at the same time.
  const summary = prompt?.mustReply ? decideSummary(deps, agent, opened) : undefined;
  summary?.catch(() => undefined);
  let settled: Promise<unknown> | undefined;
  const settle = (entry: TurnEntry) => (settled ??= Promise.resolve(requester?.settle(agent, entry, state)));
  const alongside = requester?.settlesAlongside ? settle : undefined;
  const runFor = { ...run, requester, alongside };
  const entry = ended ?? (prompt && (await runAndRecordTurn(deps, agent, prompt, opened, runFor)));
  if (entry === undefined) return undefined;
  await deps.checkpoint("reply.before");
  if (requester) await settle(entry);
  else if (isForPeople(record, entry)) {
    // A solicited reply has no anchor, so its prompt needs no summary.
    if (record.correlationId === undefined) await (summary ?? decideSummary(deps, agent, opened));
    await publishFinal(deps, agent, record, entry, ended !== undefined);
  }
  await deps.checkpoint("reply.published");
  if (mayInvolveFeatures(message, entry)) {
    for (const hook of features.hooks) await hook.onEnd?.({ agent, message, record, entry, isDeadLetter: false });
  }
  compactSessionAsync(deps, agent, record);
  return entry;
};

/** False for a person's message that was answered without tools: no feature took part in its turn. */
const mayInvolveFeatures = ({ kind }: TurnMessage, { outcome, delegated, messages }: TurnEntry): boolean =>
  kind === "synthetic" || outcome !== "answered" || delegated === true || messages.length > 0;

/** The prompt of a turn: the text of a person or of a task, or the prompt of the feature that wrote the message. */
const turnPrompt = async (
  { store, features: { sources } }: IntakeDeps,
  agent: Agent,
  message: TurnMessage,
  record: TurnRecord,
): Promise<WrittenPrompt> => {
  if (message.kind === "synthetic") return promptOf(sources, agent, message);
  const files =
    message.attachments.length === 0 ? NO_FILES : await filesOfMessage(store, agent, message, record, textsOf(record));
  const cannotRevise = message.kind === "message" && message.revises !== undefined && record.revises === undefined;
  const refused = cannotRevise && { answer: textsOf(record).turns.cannotRevise };
  return {
    ...writtenBy(message, files),
    ...quotedBy(message),
    ...refused,
    mustReply: false,
    obsolete: false,
    isFromOutside: true,
  };
};

interface WrittenPrompt extends TurnPrompt {
  /** The person gets it before the answer. */
  readonly notice?: string;
}

const NO_FILES: MessageFiles = { texts: [], shortTexts: [], images: [], problems: [] };

const writtenBy = (
  message: FromPerson,
  { texts, shortTexts, images, problems }: MessageFiles,
): Pick<WrittenPrompt, "text" | "unsignedText" | "historyText" | "hasForeignText" | "images" | "notice" | "answer"> => {
  const isShared = message.conversation.kind === "shared";
  const line = isShared ? `${oneLine(message.account.name)}: ${message.text}` : message.text;
  // A file, or the message that it replies to, may be the text of another program.
  const answersOther = message.replyTo !== undefined || quotedBy(message).quoted !== undefined;
  const hasForeignText = message.attachments.length > 0 || answersOther;
  const problem = problems.length === 0 ? undefined : problems.join("\n\n");
  // Without a text and a file that can be read there is nothing for the model.
  const isAll = message.text.trim() === "" && problems.length === texts.length;
  return {
    text: withFileTexts(line, texts),
    ...(isShared && { unsignedText: withFileTexts(message.text, texts) }),
    ...(texts.length > 0 && { historyText: withFileTexts(line, shortTexts) }),
    ...(hasForeignText && { hasForeignText }),
    ...(images.length > 0 && { images }),
    ...(problem !== undefined && (isAll ? { answer: problem } : { notice: problem })),
  };
};

const quotedBy = (message: FromPerson): Pick<TurnPrompt, "quoted"> =>
  message.kind === "message" && message.quoted !== undefined ? { quoted: message.quoted } : {};
/** The notice has a fixed id, so that the relay drops a repeat after a crash. */
const publishNotice = (
  { bus }: IntakeDeps,
  { tenant, name: agent }: Agent,
  { turnId, sessionId, audience, openedAt, traceId }: TurnRecord,
  markdown: string,
): Promise<void> =>
  publishReply(bus, {
    id: `${turnId}/files`,
    tenant,
    agent,
    sessionId,
    kind: "notice",
    markdown,
    origin: null,
    audience,
    mayRepeat: true,
    createdAt: openedAt,
    traceId,
  });

const promptOf = (sources: TurnSources, agent: Agent, message: SyntheticMessage) => {
  const { type, data } = message.synthetic;
  if (data === undefined) throw new AppError("data-unusable", `the payload of a message of type ${type} is invalid`);
  // The compiler cannot tell that source and message are of the same type.
  const source = sources[type] as (agent: Agent, message: SyntheticMessage) => TurnPrompt | Promise<TurnPrompt>;
  return source(agent, message);
};

const withFileTexts = (line: string, files: readonly string[]): string =>
  [line, ...files].join("\n").trim() || "(an empty message)";

const oneLine = (text: string): string => text.replace(/[\p{C}\s]+/gu, " ").trim();

/** Undefined: the turn is for people. Only messages that core wrote can be for an agent. */
export const requesterOf = ({ requesters }: TurnFeatures, message: TurnMessage): TurnRequester | undefined => {
  if (message.kind !== "synthetic") return undefined;
  for (const find of requesters) {
    const requester = find(message);
    if (requester !== undefined) return requester;
  }
  return undefined;
};

/** Publishes the answer of an ended turn. Idempotent: id and text are the same in every retry. */
export const publishFinal = async (
  deps: IntakeDeps,
  agent: Agent,
  record: TurnRecord,
  { at, finalText, outcome, actions, files }: TurnEntry,
  mayRepeat: boolean,
): Promise<void> => {
  const { correlationId, cause, audience, sessionId } = record;
  const id = finalIdOf(record.turnId);
  const origin = correlationId === undefined ? await settledOrigin(deps.store, agent, record) : record.origin;
  await publishReply(deps.bus, {
    id,
    tenant: agent.tenant,
    agent: agent.name,
    sessionId,
    kind: "final",
    markdown: finalText,
    outcome,
    ...(actions !== undefined && { actions }),
    ...(files !== undefined && { files }),
    ...(correlationId === undefined
      ? { ...(cause !== undefined && { cause }) }
      : { correlationId, ...(origin.messageId !== undefined && { answers: origin.messageId }) }),
    origin,
    audience,
    ...(mayRepeat && { mayRepeat }),
    createdAt: at,
    traceId: record.traceId,
  });
  if (correlationId !== undefined) return;
  const entry = { kind: "said", replyId: id, at, markdown: finalText, origin, ...(files && { files }) } as const;
  await noteWhereShown(deps, agent, audience, sessionId, entry);
};

/**
 * Adds a proactive message to the history of the session that now holds the origin conversation, if `new` has started
 * another session there since (O15). Idempotent.
 */
export const noteWhereShown = async (
  { store, history }: Pick<IntakeDeps, "store" | "history">,
  { tenant, name: agent }: Agent,
  { conversation }: Audience,
  knownIn: string,
  entry: ReplyEntry,
): Promise<void> => {
  const shownIn = await currentSession(store, { tenant, agent, conversation });
  if (shownIn !== knownIn) await history.noteReply(shownIn, entry);
};

/**
 * A waiting user always gets a reply (B7). Without one, people do not see an empty result, a text whose answer is still to
 * come (B6), or a result for another agent (A5).
 */
export const isForPeople = (
  { correlationId, standing: delegationContext }: Pick<TurnRecord, "correlationId" | "standing">,
  { outcome, suppressed }: Pick<TurnEntry, "outcome" | "suppressed">,
): boolean =>
  correlationId !== undefined ||
  (delegationContext.owner.worksFor === undefined && outcome !== "nothing" && !suppressed);
