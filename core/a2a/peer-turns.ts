import type { Tool } from "../contract/tool.ts";
import type { SubtaskDeps } from "../subtasks/index.ts";
import type { Agent } from "../turns/index.ts";
import type { FindRequester, TurnHook, TurnSources } from "../turns/source/index.ts";
import { callbackPrompt } from "./calls/callback-turn.ts";
import { lateAnswerPrompt, removeReadNotifications } from "./calls/late-answer-turn.ts";
import { answerCaller } from "./local/answer-caller.ts";
import { isCancelled, watchCancellation } from "./local/cancelled-call.ts";
import { peerRequestPrompt } from "./local/peer-request.ts";

interface PeerTurns {
  /** Turns that another agent's message or answer starts. */
  readonly sources: Pick<TurnSources, "peer" | "callback" | "late">;
  /** An agent of this deployment that called another one. */
  readonly requester: FindRequester;
  /** Removes the notifications about late answers that a turn has read. */
  readonly hook: TurnHook;
}

/** The part that messages between agents have in turns. */
export const peerTurns = (deps: SubtaskDeps): PeerTurns => ({
  sources: {
    peer: peerRequestPrompt,
    callback: (agent, message) => callbackPrompt(deps, agent, message),
    late: (agent, message) => lateAnswerPrompt(deps, agent, message),
  },
  requester: ({ id: messageId, synthetic: { owner, sessionId } }) => {
    const { worksFor } = owner;
    return (
      worksFor && {
        agentFor: withoutPeopleTools,
        isAwaitedByTurn: true,
        stateOf: async () => ((await isCancelled(deps, worksFor)) ? "ended" : "open"),
        begin: (stop) => watchCancellation(deps, worksFor, stop),
        settle: (agent, result) => answerCaller(deps, agent, { worksFor, sessionId, messageId }, result),
      }
    );
  },
  hook: {
    async onEnd({ agent: { tenant, name }, message, record, entry, isDeadLetter }) {
      if (isDeadLetter || record === undefined || entry === undefined) return;
      const session = { tenant, agent: name, sessionId: record.sessionId };
      await removeReadNotifications(deps, session, message, entry.messages);
    },
  },
});

/** Cached by the agent's tool list, because the model's tool schemas are cached by the identity of the list. */
const lists = new WeakMap<readonly Tool[], readonly Tool[]>();

/**
 * The agent in a turn for another agent. The turn reaches no people (A5), so tools that act for people are removed;
 * otherwise a caller could use two agents to do what a single one refuses.
 */
export const withoutPeopleTools = (agent: Agent): Agent => {
  const tools = lists.get(agent.tools) ?? agent.tools.filter(({ isForPeople }) => !isForPeople);
  lists.set(agent.tools, tools);
  return { ...agent, tools };
};
