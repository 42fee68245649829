import { subjectsOf } from "../contract/messages/subjects.ts";
import { isoTime } from "../contract/ports/clock.ts";
import type { Texts } from "../contract/texts/texts.ts";
import { ChildAbort } from "../lib/index.ts";
import { memoryNote, memoryScope } from "../memory/lasting/index.ts";
import { viewOfOrigins } from "../origin/index.ts";
import { fitEntry, hasDelegated, nextIndex, type TurnEntry, withoutRevised } from "../sessions/index.ts";
import { activeTakeover } from "../sessions/takeover/index.ts";
import type { Agent, TurnEnd, TurnFailure } from "../turns/index.ts";
import {
  aboutEarlierCalls,
  addsForeignText,
  earlierCallsNote,
  earlierCallsOf,
  permittedAgent,
  runTurn,
  TurnCancelled,
  TurnStopped,
  TurnTimedOut,
  TurnYielded,
  textsOf,
  withOfferedTools,
  withoutSilence,
} from "../turns/index.ts";
import { Journal, sessionTtl, type TurnRecord, withFiles } from "../turns/record/index.ts";
import type { FinishedTurn, RecordedTurn, TurnPrompt, TurnRequester, TurnUpdates } from "../turns/source/index.ts";
import { shrinkWindow } from "./compact-session-async.ts";
import type { IntakeDeps } from "./intake-deps.ts";
import { REFUSED_PROMPT, refusedMessage, withheldAnswer } from "./moderate-turn.ts";
import type { OpenedTurn } from "./open-turn.ts";

/** More attempts than one run can make, so that attempt numbers grow from run to run. */
const ATTEMPTS_PER_RUN = 1_000;

/** A faster answer gets no typing indicator, because most platforms rate-limit such calls (D8). */
const TYPING_AFTER_MS = 100;
/** Platforms show it for 5 s (Telegram) to 10 s (Discord). */
const TYPING_EVERY_MS = 4_500;

export interface TurnRun {
  readonly number: number;
  /** The last attempt of the message, so the model is not called if there is a fallback text. */
  readonly isLast: boolean;
}

interface RunFor extends TurnRun {
  /** Absent: the turn is for people. */
  readonly requester: TurnRequester | undefined;
  /** Stores the result at the same time as the entry. */
  readonly alongside: ((entry: TurnEntry) => Promise<unknown>) | undefined;
}

/** Runs the turn and writes its history entry, which is also the journal of its last response. */
export const runAndRecordTurn = async (
  deps: IntakeDeps,
  agent: Agent,
  prompt: TurnPrompt,
  opened: OpenedTurn,
  run: RunFor,
): Promise<TurnEntry> => {
  const { alongside } = run;
  const { record, window } = opened;
  const { turnId, sessionId } = record;
  const { text, historyText = text, images, fallbackText } = prompt;
  const refused = deps.moderator && (await refusedMessage(deps, agent, record, prompt));
  const finished: FinishedTurn =
    refused ?? (await finish(deps, agent, record, await runOrFallBack(deps, agent, prompt, opened, run)));
  const reportedFiles = refused === undefined && finished.outcome !== "nothing" ? (prompt.files ?? []) : [];
  const { failure, isAwaited, files: made = [], ...end } = finished;
  const isForeign = addsForeignText(record, prompt.hasForeignText, agent.tools, end.messages);
  const processed = prompt.postProcess &&
    end.outcome === "answered" && { finalText: prompt.postProcess(end.finalText) };
  const answer: TurnEntry = {
    kind: "turn",
    turnId,
    at: isoTime(deps.clock.now()),
    text: refused === undefined ? historyText : REFUSED_PROMPT,
    ...(refused === undefined && images !== undefined && { images: [...images] }),
    ...end,
    ...(failure !== undefined &&
      fallbackText !== undefined &&
      rawResults(fallbackText, failure, end.finalText, textsOf(record))),
    ...processed,
    // Background work has no interim answer: the final one follows (B6).
    ...(isAwaited && record.standing.background && { suppressed: true }),
    messages: [...end.messages],
    ...(record.revises !== undefined && { revises: { turnId: record.revises.turnId, index: record.revises.index } }),
    ...(isForeign ? { hasForeignText: true } : end.messages.length > 0 && { hasForeignText: false }),
  };
  const withheld = deps.moderator && (await withheldAnswer(deps, agent, record, answer));
  // Moderation checks texts only, so a withheld answer sends no files either.
  const files = [...reportedFiles, ...made];
  const entry = fitEntry({ ...answer, ...(withheld ?? (files.length > 0 && withFiles(answer.finalText, files))) });
  const options = { ...sessionTtl(record), ...(alongside && { alongside: () => alongside(entry) }) };
  if (!(await deps.history.append(sessionId, nextIndex(window), entry, options))) {
    throw new TurnYielded("another process has taken the turn over");
  }
  agent.budgets?.stored(record, () => Buffer.byteLength(JSON.stringify(entry)));
  await deps.checkpoint("model.journaled");
  return entry;
};

/** The work of a blocked account ends without the model. The last attempt of a batch uses its raw results. */
const runOrFallBack = async (
  deps: IntakeDeps,
  agent: Agent,
  prompt: TurnPrompt,
  opened: OpenedTurn,
  { number, isLast, requester }: RunFor,
): Promise<TurnEnd> => {
  if (await deps.blocked.stillHasAsker(agent.tenant, opened.record.audience)) {
    return { outcome: "cancelled", finalText: "", messages: [] };
  }
  // The history keeps the message, so that the operator and later the agent can read it (R4).
  if (requester === undefined && (await isTakenOver(deps, agent, opened.record))) {
    return { outcome: "nothing", finalText: "", messages: [] };
  }
  if (prompt.answer !== undefined) return { outcome: "answered", finalText: prompt.answer, messages: [] };
  if (isLast && prompt.fallbackText !== undefined) {
    return {
      outcome: "failed",
      finalText: textsOf(opened.record).failures["bad-answer"],
      failure: "bad-answer",
      messages: [],
    };
  }
  return runNow(deps, agent, prompt, opened, { number, requester });
};

/** A person wrote in a conversation in which an operator answers. Background work goes on. */
const isTakenOver = async (
  { store, clock }: IntakeDeps,
  { tenant, name: agent }: Agent,
  { correlationId, audience: { conversation } }: TurnRecord,
): Promise<boolean> =>
  correlationId !== undefined &&
  (await activeTakeover(store, { tenant, agent, conversation }, clock.now())) !== undefined;

/** A batch never ends in silence (B3): people get the raw results if the model could not summarise them. */
const rawResults = (fallbackText: string, failure: TurnFailure, text: string, { turns }: Texts) => ({
  outcome: "answered" as const,
  finalText: [turns.rawResults, ...(failure === "budget" ? [text] : []), fallbackText].join("\n\n"),
  degraded: true,
});

const runNow = async (
  deps: IntakeDeps,
  agent: Agent,
  { text, unsignedText, quoted, images, hasForeignText, mustReply, toolRounds = agent.maxToolRounds }: TurnPrompt,
  { record, seenBefore, window }: OpenedTurn,
  { number, requester }: Pick<RunFor, "number" | "requester">,
): Promise<TurnEnd> => {
  const { clock, turnDeadlineMs } = deps;
  const { turnId, traceId, continues } = record;
  const over = new ChildAbort(deps.stopping);
  const timer = clock.after(turnDeadlineMs, () => over.abort(new TurnTimedOut(turnDeadlineMs)));
  // Background work: no typing indicator, because no user is waiting.
  const typing = record.standing.background ? undefined : keepTyping(deps, agent, record);
  // Only a turn with a waiting user can be stopped by one.
  const endStopping =
    record.correlationId === undefined ? undefined : deps.turns.stoppable(record, () => over.abort(new TurnStopped()));
  const endRequest = requester?.begin?.(() => over.abort(new TurnCancelled()));
  const unwatch = deps.blocked.watchAsker(agent.tenant, record.audience, () => over.abort(new TurnCancelled()));
  let attempt = number * ATTEMPTS_PER_RUN;
  try {
    const [offered, memoryNote, earlierCalls] = await Promise.all([
      withOfferedTools(agent, record.asker),
      memoryNoteFor(deps, agent, record, unsignedText ?? text),
      record.revises && earlierCallsOf(deps.store, record.revises.turnIds, agent.tools),
    ]);
    const limited = { ...(mustReply ? withoutSilence(offered) : offered), maxToolRounds: toolRounds };
    const end = await runTurn(deps, {
      agent: permittedAgent(requester?.agentFor(limited) ?? limited, record.asker),
      record,
      text,
      unsignedText,
      quoted,
      images,
      window: withoutRevised(window, record.revises),
      hasForeignText,
      memoryNote,
      systemNote: joined(
        continues ? await viewOfOrigins(deps.history, continues) : requester?.systemNote?.(),
        earlierCalls && earlierCallsNote(earlierCalls),
      ),
      earlierCalls,
      journal: new Journal(deps.store, turnId, !seenBefore),
      // Created on first use: a child logger costs as much as a log line, and most turns log nothing.
      get logger() {
        return deps.logger.child({ traceId, turnId, tenant: agent.tenant, agent: agent.name });
      },
      signal: over.signal,
      // A text that may still be withheld is not shown while it is written.
      streamId: deps.moderator?.checksAnswers
        ? undefined
        : (record.correlationId ?? requester?.streamId?.(agent, record)),
      nextAttempt: () => attempt++,
      updates: updatesOf(deps, agent, { record, window }),
      shrink: async (window) =>
        withoutRevised(await shrinkWindow(deps, agent, record, window, over.signal), record.revises),
    });
    const about =
      end.outcome === "answered" && earlierCalls && aboutEarlierCalls(earlierCalls, end.messages, textsOf(record));
    return about ? { ...end, finalText: `${end.finalText}\n\n${about}` } : end;
  } finally {
    typing?.cancel();
    endStopping?.();
    timer.cancel();
    endRequest?.();
    unwatch();
    over.release();
  }
};

const joined = (...notes: readonly (string | undefined)[]): string | undefined =>
  notes.filter((note) => note !== undefined).join("\n\n") || undefined;

/** Turns for other agents, and those of speakers without the right, use no lasting memory (M4). */
const memoryNoteFor = async (
  { store }: IntakeDeps,
  { tenant, name, model, rights }: Agent,
  record: TurnRecord,
  message: string,
): Promise<string | undefined> => {
  if (
    model.isAgent ||
    record.standing.owner.worksFor !== undefined ||
    !rights.permit(record.asker).allows("remember")
  ) {
    return undefined;
  }
  const scope = memoryScope({ tenant, agent: name }, record);
  return scope && memoryNote(store, scope, message);
};

/** The updates of all features, before each step. Only delegated work has any, so a plain turn asks no feature. */
const updatesOf = ({ features }: IntakeDeps, agent: Agent, turn: RecordedTurn): TurnUpdates => {
  let sources: readonly TurnUpdates[] | undefined;
  return async (messages) => {
    if (messages.length === 0 && !hasDelegated(turn.window)) return [];
    sources ??= features.hooks.flatMap((hook) => hook.updates?.(agent, turn) ?? []);
    return (await Promise.all(sources.map((source) => source(messages)))).flat();
  };
};

const finish = async (
  { features }: IntakeDeps,
  agent: Agent,
  record: TurnRecord,
  end: TurnEnd,
): Promise<FinishedTurn> => {
  // Without tool calls no feature can have taken part. A turn that was cut off may have made calls that it did not record.
  if (end.outcome === "answered" && end.messages.length === 0) return end;
  let finished: FinishedTurn = end;
  for (const hook of features.hooks) if (hook.finish) finished = await hook.finish(agent, record, finished);
  return finished;
};

export const showTyping = (
  { bus }: IntakeDeps,
  { tenant, name }: Agent,
  { audience, correlationId, origin }: TurnRecord,
): void =>
  bus.signal(subjectsOf(tenant).userSignal(name), {
    type: "typing",
    conversation: audience.conversation,
    ...(correlationId !== undefined && origin.messageId !== undefined && { answers: origin.messageId }),
  });

/** Shows typing until it is cancelled, because platforms hide the indicator after some seconds. */
const keepTyping = (deps: IntakeDeps, agent: Agent, record: TurnRecord): { cancel(): void } => {
  const show = () => {
    showTyping(deps, agent, record);
    timer = deps.clock.after(TYPING_EVERY_MS, show);
  };
  let timer = deps.clock.after(TYPING_AFTER_MS, show);
  return { cancel: () => timer.cancel() };
};
