import { parentContextOf, type Subtask } from "../../contract/messages/subtask.ts";
import type { Tool } from "../../contract/tool.ts";
import { stableId } from "../../lib/index.ts";
import type { Agent, TurnRecord } from "../../turns/index.ts";
import { deepest } from "../../turns/limits/index.ts";

/** The agent for a subtask: at most the tools of its parent (S5), plus those of subagents. */
export const subagentFor = (agent: Agent, subtask: Subtask, ownTools: readonly Tool[]): Agent => {
  const mayDelegate = subtask.depth < deepest(agent.delegation, subtask.background);
  const allowed = agent.tools.filter(
    ({ name, isForOwner, needsDepth }) =>
      subtask.permissions.tools.includes(name) && !isForOwner && (mayDelegate || !needsDepth),
  );
  return { ...agent, directives: directivesFor(agent, subtask), tools: [...allowed, ...ownTools] };
};

const directivesFor = ({ name, directives }: Agent, { agentType, workspace }: Subtask): string =>
  [
    `You are a ${agentType} who does one piece of work for the agent ${name}. Nobody but ${name} reads what you write, ` +
      "and you cannot ask people anything. Do the work with your tools. Report progress with notify_owner, in one line. " +
      "End with complete_subtask; what you write without calling a tool counts as your result.",
    ...(workspace === undefined ? [] : [WORKSPACE]),
    ...(directives === undefined ? [] : [`What ${name} is told about its task:\n${directives}`]),
  ].join("\n\n");

const WORKSPACE =
  "You have a workspace: a copy of a repository that is yours alone. Read, write, list and search its files with your " +
  "tools. What you leave there is handed in with your result; do not put whole files into your words.";

export const subagentSession = ({ tenant, agent, id }: Subtask): string => stableId("s", tenant, agent, id);

/** Phase 0 is the task; later phases handle results of children and notes. */
export const subagentTurn = (subtask: Subtask, phase: number): TurnRecord => {
  const { tenant, agent, id, depth } = subtask;
  const work = parentContextOf(subtask);
  return {
    ...work,
    turnId: stableId("t", tenant, agent, id, String(phase)),
    sessionId: subagentSession(subtask),
    index: phase,
    standing: { ...work.standing, owner: { ownerType: "worker", ownerId: id }, depth, subtaskId: id },
    openedAt: subtask.startedAt ?? subtask.createdAt,
  };
};
