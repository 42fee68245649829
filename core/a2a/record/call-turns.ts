import { callbackIdOf } from "../../subtasks/index.ts";
import type { PeerCall } from "./peer-call.ts";

/** The turn about a question of the other agent. */
export const questionIdOf = (callId: string, round: number): string => `${callbackIdOf(callId)}/${round}`;
/** The turn about updates that arrived after the turn or subtask that asked had ended. */
export const lateIdOf = (notification: string): string => `late/${notification}`;
/** The local peer's turn that a call starts. */
export const peerWakeIdOf = (agent: string, callId: string): string => `peer/${agent}/${callId}`;

/** Addresses of all messages that may continue the work of a call: the local peer's turn, and turns of the sender. */
export const turnsAfterCall = ({ tenant, agent, peer, id, remote }: PeerCall) => {
  const rounds = Array.from({ length: remote?.rounds ?? 0 }, (_, round) => round + 1);
  const questions = rounds.flatMap((round) => [questionIdOf(id, round), lateIdOf(`${id}/input-required/${round}`)]);
  const late = ["result", "error"].map((kind) => lateIdOf(`${id}/${kind}`));
  const here = [callbackIdOf(id), ...questions, ...late].map((each) => ({ tenant, agent, id: each }));
  return remote === undefined ? [{ tenant, agent: peer, id: peerWakeIdOf(agent, id) }, ...here] : here;
};
