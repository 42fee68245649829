import type { FileRef } from "../../contract/file-ref.ts";
import { hasEnded, parentContextOf, type Subtask } from "../../contract/messages/subtask.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { Stored } from "../../contract/ports/store.ts";
import type { Tool } from "../../contract/tool.ts";
import { stableId } from "../../lib/index.ts";
import { fitEntry, nextIndex, type SessionHistory, type SessionWindow, windowOf } from "../../sessions/index.ts";
import { type Agent, runTurn, type TurnEnd, TurnYielded } from "../../turns/index.ts";
import { ceilingMs, maxDepth } from "../../turns/limits/index.ts";
import { Journal, type TurnRecord } from "../../turns/record/index.ts";
import type { SubtaskDeps } from "../deps.ts";
import { awaitChildren, type ChildrenReport, waitForCalls } from "./await-delegated-work.ts";
import { SubtaskInbox } from "./subtask-inbox.ts";

export interface SubagentDeps extends SubtaskDeps {
  readonly history: SessionHistory;
}

/** Limits the turns of a subagent that gets a new note at each of its ends. */
const MAX_PHASES = 5;

/** The last phase is reserved for the results. */
const mayInterrupt = (phase: number): boolean => phase + 2 < MAX_PHASES;

/** Ends the subtask. Resolves to it unended if it has unread notes. */
type Finish = (
  end: TurnEnd,
  known: Stored<Subtask>,
  mayEnd: (subtask: Subtask) => boolean,
) => Promise<Subtask | undefined>;

/**
 * Runs the subagent as journaled turns of its own session. Open children or unread notes lead to another turn (S8).
 * Resolves to the ended subtask.
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
  // The first run has no history to read.
  const isResumed = subtask.runs > 0;
  let window = isResumed ? await deps.history.window(subagentSession(subtask)) : emptyWindow(subtask);
  for (let phase = nextIndex(window); ; phase++) {
    const record = subagentTurn(subtask, phase);
    const previous = phase === 0 ? undefined : await nextPrompt(deps, agent, subtask, inbox, phase - 1, signal);
    const text = previous?.text ?? taskText(subtask);
    let attempt = 0;
    const ended = await runTurn(deps, {
      agent,
      record,
      text,
      window,
      journal: new Journal(deps.store, record.turnId, !isResumed),
      logger: deps.logger.child({ traceId: subtask.traceId, turnId: record.turnId, subtask: subtask.id }),
      signal,
      streamId: undefined,
      nextAttempt: () => attempt++,
      interject: () => inbox.takeUnread(),
      shrink: async (whole) => ({ ...whole, entries: [], chars: 0 }),
    });
    const end = { ...ended, files: [...(previous?.files ?? []), ...(ended.files ?? [])] };
    const next = await nextPrompt(deps, agent, subtask, inbox, phase, signal);
    if (end.outcome !== "failed") await awaitPeers(deps, agent, subtask, inbox, phase, signal);
    const isLast = end.outcome === "failed" || phase + 1 >= MAX_PHASES;
    if (next === undefined || isLast) {
      const files = [...filesOfPhases(window), ...end.files];
      const over = await finish({ ...end, files }, inbox.latest, (current) => isLast || inbox.hasReadAll(current));
      if (over === undefined || hasEnded(over)) return over;
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

/** The files of the turns that the subagent has recorded. */
export const filesOfPhases = ({ entries }: SessionWindow): FileRef[] => entries.flatMap((entry) => entry.files ?? []);

/** Waits for answers of other agents and for approvals, which arrive as notes that the subtask must read before it ends. */
const awaitPeers = async (
  deps: SubagentDeps,
  { tools, delegation }: Agent,
  subtask: Subtask,
  inbox: SubtaskInbox,
  phase: number,
  signal: AbortSignal,
): Promise<void> => {
  if (!tools.some(({ delegates, approval }) => delegates === "peer-call" || approval !== undefined)) return;
  await waitForCalls(deps, subtask, {
    timeoutMs: ceilingMs(delegation, subtask.background),
    signal,
    unreadIn: (current) => (mayInterrupt(phase) ? inbox.unreadIn(current) : []),
  });
};

const emptyWindow = (subtask: Subtask): SessionWindow => windowOf(subagentSession(subtask), "", 0, []);

const taskText = ({ prompt, expectedOutput }: Subtask): string =>
  expectedOutput === "" ? prompt : `${prompt}\n\nExpected output: ${expectedOutput}`;

/** The prompt of the turn after a phase; undefined if the phase left no children open. */
const nextPrompt = async (
  deps: SubagentDeps,
  { tools, delegation }: Agent,
  subtask: Subtask,
  inbox: SubtaskInbox,
  phase: number,
  signal: AbortSignal,
): Promise<ChildrenReport | undefined> => {
  if (!tools.some(({ delegates }) => delegates === "subtask")) return undefined;
  const { turnId } = subagentTurn(subtask, phase + 1);
  return awaitChildren(deps, subtask, {
    turnId,
    ceilingMs: ceilingMs(delegation, subtask.background),
    graceMs: delegation.graceMs,
    signal,
    isInterrupted: (current) => mayInterrupt(phase) && !inbox.hasReadAll(current),
  });
};

/** The agent for a subtask: at most the tools of its parent (S5), plus those of subagents. */
export const subagentFor = (agent: Agent, subtask: Subtask, ownTools: readonly Tool[]): Agent => {
  const mayDelegate = subtask.depth < maxDepth(agent.delegation, subtask.background);
  const allowed = agent.tools.filter(
    ({ name, isForOwner, needsDepth }) =>
      subtask.permissions.tools.includes(name) && !isForOwner && (mayDelegate || !needsDepth),
  );
  return {
    ...agent,
    model: modelOf(agent, subtask),
    directives: directivesFor(agent, subtask),
    tools: [...allowed, ...ownTools],
  };
};

/** A model that left the configuration since is replaced by the agent's own. */
const modelOf = ({ model, subtaskModels }: Agent, subtask: Subtask): Agent["model"] =>
  (subtask.model === undefined ? undefined : subtaskModels?.get(subtask.model)) ?? model;

const directivesFor = ({ name, directives }: Agent, { agentType, workspace }: Subtask): string =>
  [
    `You are a ${agentType} and do one task for the agent ${name}. Only ${name} reads your output, and you cannot ask ` +
      "people anything. Use your tools. Report progress with notify_owner, in one line. End with complete_subtask; a " +
      "text without a tool call also counts as your result.",
    ...(workspace === undefined ? [] : [WORKSPACE]),
    ...(directives === undefined ? [] : [`The directives of ${name}:\n${directives}`]),
  ].join("\n\n");

const WORKSPACE =
  "You have a workspace: a private copy of a repository. Read, write, list and search its files with your tools. The " +
  "changes in it are submitted with your result; do not copy whole files into your text.";

export const subagentSession = ({ tenant, agent, id }: Subtask): string => stableId("s", tenant, agent, id);

/** Phase 0 is the task; later phases handle results of children and notes. */
export const subagentTurn = (subtask: Subtask, phase: number): TurnRecord => {
  const { tenant, agent, id, depth } = subtask;
  const { origin, audience, asker, traceId, standing } = parentContextOf(subtask);
  return {
    origin,
    audience,
    asker,
    traceId,
    turnId: stableId("t", tenant, agent, id, String(phase)),
    sessionId: subagentSession(subtask),
    index: phase,
    standing: { ...standing, owner: { ownerType: "worker", ownerId: id }, depth, subtaskId: id },
    openedAt: subtask.startedAt ?? subtask.createdAt,
  };
};
