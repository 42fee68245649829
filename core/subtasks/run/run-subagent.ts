import { isoTime } from "../../contract/clock.ts";
import type { Stored } from "../../contract/store.ts";
import type { Subtask } from "../../contract/subtask.ts";
import { hasEnded } from "../../contract/subtask.ts";
import { fitEntry, nextIndex, type SessionHistory, type SessionWindow, windowOf } from "../../sessions/index.ts";
import { type Agent, ceilingMs, Journal, runTurn, type TurnEnd, TurnYielded } from "../../turns/index.ts";
import type { SubtaskDeps } from "../deps.ts";
import { waitForCalls } from "./await-calls.ts";
import { awaitChildren } from "./await-children.ts";
import { subagentSession, subagentTurn } from "./subagent.ts";
import { SubtaskInbox } from "./subtask-inbox.ts";

export interface SubagentDeps extends SubtaskDeps {
  readonly history: SessionHistory;
}

/** Whoever is told something new at each of its ends would never come to one. */
const MAX_PHASES = 5;

/** The last of its turns is kept for the results. */
const mayBeCalled = (phase: number): boolean => phase + 2 < MAX_PHASES;

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
  deps: SubagentDeps,
  agent: Agent,
  claimed: Stored<Subtask>,
  signal: AbortSignal,
  finish: Finish,
): Promise<Subtask | undefined> => {
  const subtask = claimed.value;
  const inbox = new SubtaskInbox(deps, claimed);
  // Before the first run there is nothing to read.
  const isResumed = subtask.runs > 0;
  let window = isResumed ? await deps.history.window(subagentSession(subtask)) : emptyWindow(subtask);
  for (let phase = nextIndex(window); ; phase++) {
    const record = subagentTurn(subtask, phase);
    const previous = phase === 0 ? undefined : await newsFor(deps, agent, subtask, inbox, phase - 1, signal);
    const text = previous ?? taskText(subtask);
    let attempt = 0;
    const end = await runTurn(deps, {
      agent,
      record,
      text,
      window,
      journal: new Journal(deps.store, record.turnId, !isResumed),
      logger: deps.logger.child({ traceId: subtask.traceId, turnId: record.turnId, subtask: subtask.id }),
      signal,
      streamId: undefined,
      nextAttempt: () => attempt++,
      interject: () => inbox.unread(),
      shrink: async (whole) => ({ ...whole, entries: [], chars: 0 }),
    });
    const news = await newsFor(deps, agent, subtask, inbox, phase, signal);
    if (end.outcome !== "failed") await hearPeers(deps, agent, subtask, inbox, phase, signal);
    const isLast = end.outcome === "failed" || phase + 1 >= MAX_PHASES;
    if (news === undefined || isLast) {
      const ended = await finish(end, inbox.latest, (is) => isLast || inbox.hasSeen(is));
      if (ended === undefined || hasEnded(ended)) return ended;
    }
    const entry = fitEntry({
      kind: "turn",
      turnId: record.turnId,
      at: isoTime(deps.clock.now()),
      text,
      ...end,
      messages: [...end.messages],
    });
    if (!(await deps.history.append(record.sessionId, nextIndex(window), entry))) {
      throw new TurnYielded("another process has taken the turn over");
    }
    window = await deps.history.window(record.sessionId);
  }
};

/** What other agents answer comes as a word to the subtask: it does not end without having seen it. */
const hearPeers = async (
  deps: SubagentDeps,
  { tools, delegation }: Agent,
  subtask: Subtask,
  inbox: SubtaskInbox,
  phase: number,
  signal: AbortSignal,
): Promise<void> => {
  if (!tools.some(({ name }) => name === "send_message_to_agent")) return;
  await waitForCalls(deps, subtask, {
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
  deps: SubagentDeps,
  { tools, delegation }: Agent,
  subtask: Subtask,
  inbox: SubtaskInbox,
  phase: number,
  signal: AbortSignal,
): Promise<string | undefined> => {
  if (!tools.some(({ name }) => name === "spawn_subtask")) return undefined;
  const { turnId } = subagentTurn(subtask, phase + 1);
  return awaitChildren(deps, subtask, {
    turnId,
    ceilingMs: ceilingMs(delegation, subtask.background),
    graceMs: delegation.graceMs,
    signal,
    isCalled: (is) => mayBeCalled(phase) && !inbox.hasSeen(is),
  });
};
