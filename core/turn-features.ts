import { type AgentConnections, agentAnswerTurns, cancelAbandonedTask } from "./a2a/agent-model/index.ts";
import { type InboundTurns, inboundRequester } from "./a2a/inbound/index.ts";
import { peerTurns } from "./a2a/index.ts";
import { callerTools } from "./agent-tools.ts";
import { approvalTurns } from "./approvals/index.ts";
import { type ScheduleDeps, scheduleHook } from "./schedules/index.ts";
import type { SessionHistory } from "./sessions/index.ts";
import { delegationHook, type SubtaskDeps, subtaskTurns } from "./subtasks/index.ts";
import type { TurnFeatures, TurnSources } from "./turns/source/index.ts";

interface Deps extends SubtaskDeps, ScheduleDeps {
  readonly history: SessionHistory;
  readonly inbound: InboundTurns;
  readonly agentConnections: Pick<AgentConnections, "of">;
}

/** Schedules and inbound calls write the prompt into the message. */
const taskPrompt: TurnSources["task"] = (_, { text, synthetic }) => ({
  text,
  mustReply: false,
  obsolete: false,
  isFromOutside: synthetic.data.a2a !== undefined,
});

/** The only list of features that start turns, receive their results or take part in them: a new one is one line here. */
export const turnFeatures = (deps: Deps): TurnFeatures => {
  const peers = peerTurns(deps);
  return {
    sources: {
      task: taskPrompt,
      ...subtaskTurns(deps),
      ...peers.sources,
      ...approvalTurns(deps),
      ...agentAnswerTurns(deps),
    },
    requesters: [inboundRequester(deps, (agent) => callerTools(deps, agent)), peers.requester],
    hooks: [peers.hook, delegationHook(deps), scheduleHook(deps), cancelAbandonedTask(deps)],
  };
};
