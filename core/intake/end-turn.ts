import { callerAside } from "../a2a/inbound/caller-aside.ts";
import { withCallerTools } from "../a2a/inbound/caller-tools.ts";
import { taskOfTurn } from "../a2a/inbound/task-of-turn.ts";
import { isoTime } from "../contract/clock.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { ChildAbort } from "../lib/child-abort.ts";
import { viewOfOrigins } from "../origin/view-of-origin.ts";
import { fitEntry } from "../sessions/fit-entry.ts";
import type { TurnEntry } from "../sessions/history-entry.ts";
import { nextIndex } from "../sessions/session-window.ts";
import { announce } from "../subtasks/announce.ts";
import type { Agent } from "../turns/agent.ts";
import { Journal } from "../turns/journal.ts";
import { withoutSilence } from "../turns/nothing-to-say.ts";
import { runTurn } from "../turns/run-turn.ts";
import { sessionLife } from "../turns/session-life.ts";
import { troubleText } from "../turns/trouble-text.ts";
import type { TurnEnd } from "../turns/turn.ts";
import { TurnCancelled } from "../turns/turn-cancelled.ts";
import type { TurnRecord } from "../turns/turn-record.ts";
import { TurnStopped } from "../turns/turn-stopped.ts";
import { TurnTimedOut } from "../turns/turn-timed-out.ts";
import { TurnYielded } from "../turns/turn-yielded.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { shrinkWindow } from "./make-room.ts";
import type { OpenedTurn } from "./open-turn.ts";
import type { TurnMatter } from "./turn-matter.ts";

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
export const endTurn = async (
  parts: IntakeParts,
  agent: Agent,
  message: UserMessage,
  matter: TurnMatter,
  opened: OpenedTurn,
  run: TurnRun,
  alongside?: (entry: TurnEntry) => Promise<unknown>,
): Promise<TurnEntry> => {
  const { record, window } = opened;
  const { turnId, sessionId } = record;
  const { text, plain } = matter;
  const ran: TurnEnd =
    run.isLast && plain !== undefined
      ? { outcome: "failed", finalText: troubleText["bad-answer"], trouble: "bad-answer", messages: [] }
      : await runNow(parts, agent, message, matter, opened, run.number);
  const { trouble, isAwaited, ...end } = await announce(parts.store, agent, record, ran);
  const polished = matter.polish && end.outcome === "answered" && { finalText: matter.polish(end.finalText) };
  const entry = fitEntry({
    kind: "turn",
    turnId,
    at: isoTime(parts.clock.now()),
    text,
    ...end,
    ...(trouble !== undefined && plain !== undefined && stitched(plain)),
    ...polished,
    // Nobody waits for a word in between: the one answer follows (B6).
    ...(isAwaited && record.standing.background && { suppressed: true }),
    messages: [...end.messages],
  });
  const options = { ...sessionLife(record), ...(alongside && { alongside: () => alongside(entry) }) };
  if (!(await parts.history.append(sessionId, nextIndex(window), entry, options))) {
    throw new TurnYielded("another process has taken the turn over");
  }
  await parts.checkpoint("model.journaled");
  return entry;
};

/** A batch never ends in silence (B3): the results as they are, if no answer could be made of them. */
const stitched = (plain: string) => ({
  outcome: "answered" as const,
  finalText: `I could not put these results into words of my own, so here they are as they came in.\n\n${plain}`,
  degraded: true,
});

const runNow = async (
  parts: IntakeParts,
  agent: Agent,
  message: UserMessage,
  { text, mustSpeak, toolRounds = agent.maxToolRounds }: TurnMatter,
  { record, seenBefore, window }: OpenedTurn,
  run: number,
): Promise<TurnEnd> => {
  const { clock, turnDeadlineMs } = parts;
  const { turnId, traceId, continues } = record;
  const over = new ChildAbort(parts.stopping);
  const timer = clock.after(turnDeadlineMs, () => over.abort(new TurnTimedOut(turnDeadlineMs)));
  // Work that begins by itself is nobody's who waits.
  const typing = record.standing.background
    ? undefined
    : clock.after(TYPING_AFTER_MS, () => showTyping(parts, agent, record));
  // What nobody waits for has no one who could have enough of waiting.
  const endStopping =
    record.correlationId === undefined ? undefined : parts.turns.stoppable(record, () => over.abort(new TurnStopped()));
  const hasEnded = parts.inbound.begin(message, () => over.abort(new TurnCancelled()));
  let attempt = run * ATTEMPTS_PER_RUN;
  try {
    return await runTurn(parts, {
      agent: withCallerTools(
        parts,
        { ...(mustSpeak ? withoutSilence(agent) : agent), maxToolRounds: toolRounds },
        message,
      ),
      record,
      text,
      window,
      aside: continues ? await viewOfOrigins(parts.history, continues) : callerAside(message),
      journal: new Journal(parts.store, turnId, !seenBefore),
      // Made when it is needed: a child costs as much as a line, and most turns log nothing.
      get logger() {
        return parts.logger.child({ traceId, turnId, tenant: agent.tenant, agent: agent.name });
      },
      signal: over.signal,
      streamId: record.correlationId ?? taskOfTurn({ tenant: agent.tenant, agent: agent.name }, record)?.id,
      nextAttempt: () => attempt++,
      shrink: (window) => shrinkWindow(parts, agent, window, over.signal),
    });
  } finally {
    typing?.cancel();
    endStopping?.();
    timer.cancel();
    hasEnded();
    over.release();
  }
};

const showTyping = ({ bus }: IntakeParts, { tenant, name }: Agent, { audience }: TurnRecord): void =>
  bus.signal(subjectsOf(tenant).userSignal(name), { type: "typing", conversation: audience.conversation });
