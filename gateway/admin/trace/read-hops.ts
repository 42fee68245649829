import { type PeerCall, readCallsOfTools, unreachableNote } from "../../../core/a2a/index.ts";
import type { Store } from "../../../core/contract/store.ts";
import { callbackIdOf, lateIdOf, peerWakeIdOf, questionIdOf } from "../../../core/subtasks/index.ts";
import type { ManagedAgent } from "../managed-agents.ts";

/** Where a turn may be found, by the message that started it. */
export interface TurnAddress extends ManagedAgent {
  readonly id: string;
}

const LONGEST_ERROR = 300;

/** The messages to other agents that a turn's calls sent. */
export const readHops = (store: Store, place: ManagedAgent, sends: readonly string[]): Promise<PeerCall[]> =>
  readCallsOfTools(store, place, sends);

/** The turns that come of such a message: the other agent's, if it is one of ours, and those that its words start here. */
export const turnsAfterHop = ({ tenant, agent, peer, id, remote }: PeerCall): TurnAddress[] => {
  const rounds = Array.from({ length: remote?.rounds ?? 0 }, (_, round) => round + 1);
  const questions = rounds.flatMap((round) => [questionIdOf(id, round), lateIdOf(`${id}/input-required/${round}`)]);
  const late = ["result", "error"].map((kind) => lateIdOf(`${id}/${kind}`));
  const here = [callbackIdOf(id), ...questions, ...late].map((each) => ({ tenant, agent, id: each }));
  return remote === undefined ? [{ tenant, agent: peer, id: peerWakeIdOf(agent, id) }, ...here] : here;
};

export const shownHop = (call: PeerCall) => {
  const { id, agent, peer, mode, headline, turnId, standing, state, createdAt, endedAt, remote } = call;
  const error = problemOf(call);
  return {
    id,
    turnId,
    ...(standing.subtaskId !== undefined && { subtask: standing.subtaskId }),
    agent,
    peer,
    isRemote: remote !== undefined,
    mode,
    headline,
    state,
    ...(error !== undefined && { error: error.slice(0, LONGEST_ERROR) }),
    ...(remote?.taskId !== undefined && { remoteTask: remote.taskId }),
    createdAt,
    ...(endedAt !== undefined && { endedAt }),
  };
};

/** Operators read the technical reason; people in chat get `error` only. */
const problemOf = (call: PeerCall): string | undefined => {
  const { state, error, detail } = call;
  const unreachable = unreachableNote(call);
  if (unreachable !== undefined) return `${unreachable}: ${detail ?? "no answer"}`;
  return state === "failed" ? (detail ?? error) : undefined;
};
