import { isoTime } from "../contract/clock.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { ChildAbort } from "../lib/index.ts";
import { viewOfOrigins } from "../origin/index.ts";
import { fitEntry, nextIndex, type TurnEntry } from "../sessions/index.ts";
import {
  type Agent,
  type FinishedTurn,
  failureText,
  Journal,
  runTurn,
  sessionTtl,
  TurnCancelled,
  type TurnEnd,
  type TurnPrompt,
  type TurnRecord,
  TurnStopped,
  TurnTimedOut,
  TurnYielded,
  withoutSilence,
} from "../turns/index.ts";
import { shrinkWindow } from "./compact-session-async.ts";
import type { IntakeParts } from "./intake-parts.ts";
import type { OpenedTurn } from "./open-turn.ts";
import { requesterOf } from "./requester-of.ts";

/** Far more tries than one run can make, so that attempts grow from run to run. */
const ATTEMPTS_PER_RUN = 1_000;

/** An answer that comes sooner needs no announcement: on most platforms that is a call, and calls are counted (D8). */
const TYPING_AFTER_MS = 100;

export interface TurnRun {
  readonly number: number;
  /** It is the last one that the message gets: nothing is risked any more. */
  readonly isLast: boolean;
}

/**
 * Runs the turn and writes its history entry, which is also the journal of its last response. `alongside`: what is stored
 * behind the entry without waiting for it.
 */
export const runAndRecordTurn = async (
  parts: IntakeParts,
  agent: Agent,
  message: UserMessage,
  prompt: TurnPrompt,
  opened: OpenedTurn,
  run: TurnRun,
  alongside?: (entry: TurnEntry) => Promise<unknown>,
): Promise<TurnEntry> => {
  const { record, window } = opened;
  const { turnId, sessionId } = record;
  const { text, fallbackText } = prompt;
  const ran: TurnEnd =
    run.isLast && fallbackText !== undefined
      ? { outcome: "failed", finalText: failureText["bad-answer"], trouble: "bad-answer", messages: [] }
      : await runNow(parts, agent, message, prompt, opened, run.number);
  const { trouble, isAwaited, ...end } = await finish(parts, agent, record, ran);
  const processed = prompt.postProcess &&
    end.outcome === "answered" && { finalText: prompt.postProcess(end.finalText) };
  const entry = fitEntry({
    kind: "turn",
    turnId,
    at: isoTime(parts.clock.now()),
    text,
    ...end,
    ...(trouble !== undefined && fallbackText !== undefined && rawResults(fallbackText)),
    ...processed,
    // Nobody waits for a word in between: the one answer follows (B6).
    ...(isAwaited && record.standing.background && { suppressed: true }),
    messages: [...end.messages],
  });
  const options = { ...sessionTtl(record), ...(alongside && { alongside: () => alongside(entry) }) };
  if (!(await parts.history.append(sessionId, nextIndex(window), entry, options))) {
    throw new TurnYielded("another process has taken the turn over");
  }
  await parts.checkpoint("model.journaled");
  return entry;
};

/** A batch never ends in silence (B3): the results as they are, if no answer could be made of them. */
const rawResults = (fallbackText: string) => ({
  outcome: "answered" as const,
  finalText: `I could not put these results into words of my own, so here they are as they came in.\n\n${fallbackText}`,
  degraded: true,
});

const runNow = async (
  parts: IntakeParts,
  agent: Agent,
  message: UserMessage,
  { text, mustReply, toolRounds = agent.maxToolRounds }: TurnPrompt,
  { record, seenBefore, window }: OpenedTurn,
  run: number,
): Promise<TurnEnd> => {
  const { clock, turnDeadlineMs } = parts;
  const { turnId, traceId, continues } = record;
  const over = new ChildAbort(parts.stopping);
  const timer = clock.after(turnDeadlineMs, () => over.abort(new TurnTimedOut(turnDeadlineMs)));
  // Background work: no typing indicator, because no user is waiting.
  const typing = record.standing.background
    ? undefined
    : clock.after(TYPING_AFTER_MS, () => showTyping(parts, agent, record));
  // Only a turn with a waiting user can be stopped by one.
  const endStopping =
    record.correlationId === undefined ? undefined : parts.turns.stoppable(record, () => over.abort(new TurnStopped()));
  const requester = requesterOf(parts.features, message);
  const endRequest = requester?.begin?.(message, () => over.abort(new TurnCancelled()));
  const limited = { ...(mustReply ? withoutSilence(agent) : agent), maxToolRounds: toolRounds };
  let attempt = run * ATTEMPTS_PER_RUN;
  try {
    return await runTurn(parts, {
      agent: requester?.agentFor(limited, message) ?? limited,
      record,
      text,
      window,
      aside: continues ? await viewOfOrigins(parts.history, continues) : requester?.aside?.(message),
      journal: new Journal(parts.store, turnId, !seenBefore),
      // Made when it is needed: a child costs as much as a line, and most turns log nothing.
      get logger() {
        return parts.logger.child({ traceId, turnId, tenant: agent.tenant, agent: agent.name });
      },
      signal: over.signal,
      streamId: record.correlationId ?? requester?.streamId?.(agent, record),
      nextAttempt: () => attempt++,
      shrink: (window) => shrinkWindow(parts, agent, window, over.signal),
    });
  } finally {
    typing?.cancel();
    endStopping?.();
    timer.cancel();
    endRequest?.();
    over.release();
  }
};

const finish = async (
  { features }: IntakeParts,
  agent: Agent,
  record: TurnRecord,
  end: TurnEnd,
): Promise<FinishedTurn> => {
  let finished: FinishedTurn = end;
  for (const hook of features.hooks) if (hook.finish) finished = await hook.finish(agent, record, finished);
  return finished;
};

const showTyping = ({ bus }: IntakeParts, { tenant, name }: Agent, { audience }: TurnRecord): void =>
  bus.signal(subjectsOf(tenant).userSignal(name), { type: "typing", conversation: audience.conversation });
