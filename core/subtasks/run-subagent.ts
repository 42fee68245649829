import { isoTime } from "../contract/clock.ts";
import type { Stored } from "../contract/store.ts";
import type { Subtask } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import { fitEntry, nextIndex, type SessionHistory, type SessionWindow, windowOf } from "../sessions/index.ts";
import { type Agent, ceilingMs, Journal, runTurn, type TurnEnd, TurnYielded } from "../turns/index.ts";
import { childrenNews } from "./children-news.ts";
import { waitForCalls } from "./outstanding-calls.ts";
import { subagentSession, subagentTurn } from "./subagent.ts";
import { SubtaskInbox } from "./subtask-inbox.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

export interface SubagentParts extends SubtaskParts {
  readonly history: SessionHistory;
}

/** Whoever is told something new at each of its ends would never come to one. */
const MOST_PHASES = 5;

/** The last of its turns is kept for the results. */
const mayBeCalled = (phase: number): boolean => phase + 2 < MOST_PHASES;

/** Ends the subtask, unless there is something that it has not been told: then it comes back unended. */
export type Finish = (
  end: TurnEnd,
  known: Stored<Subtask>,
  mayEnd: (subtask: Subtask) => boolean,
) => Promise<Subtask | undefined>;

/**
 * The subagent's work, as journaled turns of a session of its own. A turn that leaves subtasks of its own open, or
 * that was told something it has not seen, is followed by another one (S8). Resolves to the subtask as it ended.
 */
export const runSubagent = async (
  parts: SubagentParts,
  agent: Agent,
  claimed: Stored<Subtask>,
  signal: AbortSignal,
  finish: Finish,
): Promise<Subtask | undefined> => {
  const subtask = claimed.value;
  const inbox = new SubtaskInbox(parts, claimed);
  // Before the first run there is nothing to read.
  const isResumed = subtask.runs > 0;
  let window = isResumed ? await parts.history.window(subagentSession(subtask)) : emptyWindow(subtask);
  for (let phase = nextIndex(window); ; phase++) {
    const record = subagentTurn(subtask, phase);
    const previous = phase === 0 ? undefined : await newsFor(parts, agent, subtask, inbox, phase - 1, signal);
    const text = previous ?? taskText(subtask);
    let attempt = 0;
    const end = await runTurn(parts, {
      agent,
      record,
      text,
      window,
      journal: new Journal(parts.store, record.turnId, !isResumed),
      logger: parts.logger.child({ traceId: subtask.traceId, turnId: record.turnId, subtask: subtask.id }),
      signal,
      streamId: undefined,
      nextAttempt: () => attempt++,
      interject: () => inbox.unread(),
      shrink: async (whole) => ({ ...whole, entries: [], chars: 0 }),
    });
    const news = await newsFor(parts, agent, subtask, inbox, phase, signal);
    if (end.outcome !== "failed") await hearPeers(parts, agent, subtask, inbox, phase, signal);
    const isLast = end.outcome === "failed" || phase + 1 >= MOST_PHASES;
    if (news === undefined || isLast) {
      const ended = await finish(end, inbox.latest, (is) => isLast || inbox.hasSeen(is));
      if (ended === undefined || hasEnded(ended)) return ended;
    }
    const entry = fitEntry({
      kind: "turn",
      turnId: record.turnId,
      at: isoTime(parts.clock.now()),
      text,
      ...end,
      messages: [...end.messages],
    });
    if (!(await parts.history.append(record.sessionId, nextIndex(window), entry))) {
      throw new TurnYielded("another process has taken the turn over");
    }
    window = await parts.history.window(record.sessionId);
  }
};

/** What other agents answer comes as a word to the subtask: it does not end without having seen it. */
const hearPeers = async (
  parts: SubagentParts,
  { tools, delegation }: Agent,
  subtask: Subtask,
  inbox: SubtaskInbox,
  phase: number,
  signal: AbortSignal,
): Promise<void> => {
  if (!tools.some(({ name }) => name === "send_message_to_agent")) return;
  await waitForCalls(parts, subtask, {
    timeoutMs: ceilingMs(delegation, subtask.background),
    signal,
    unseen: (is) => (mayBeCalled(phase) ? inbox.unseen(is) : []),
  });
};

const emptyWindow = (subtask: Subtask): SessionWindow => windowOf(subagentSession(subtask), "", 0, []);

const taskText = ({ prompt, expectedOutput }: Subtask): string =>
  expectedOutput === "" ? prompt : `${prompt}\n\nExpected output: ${expectedOutput}`;

/** What the turn after a phase begins with; undefined if the phase has left nothing open. */
const newsFor = async (
  parts: SubagentParts,
  { tools, delegation }: Agent,
  subtask: Subtask,
  inbox: SubtaskInbox,
  phase: number,
  signal: AbortSignal,
): Promise<string | undefined> => {
  if (!tools.some(({ name }) => name === "spawn_subtask")) return undefined;
  const { turnId } = subagentTurn(subtask, phase + 1);
  return childrenNews(parts, subtask, {
    turnId,
    ceilingMs: ceilingMs(delegation, subtask.background),
    graceMs: delegation.graceMs,
    signal,
    isCalled: (is) => mayBeCalled(phase) && !inbox.hasSeen(is),
  });
};
