import { callIdFor } from "../../../core/a2a/open-call.ts";
import type { PeerCall } from "../../../core/a2a/peer-call.ts";
import { readCalls } from "../../../core/a2a/peer-call.ts";
import { wakeMessage } from "../../../core/a2a/wake-message.ts";
import type { Store } from "../../../core/contract/store.ts";
import { callbackIdOf } from "../../../core/subtasks/continuation-ids.ts";
import type { ManagedAgent } from "../managed-agents.ts";
import type { ShownStep } from "./read-steps.ts";

const SEND_MESSAGE = "send_message_to_agent";

/** A message to another agent, without what was said. */
export interface ShownPeerCall {
  readonly id: string;
  readonly agent: string;
  readonly peer: string;
  readonly mode: PeerCall["mode"];
  readonly state: PeerCall["state"];
  /** The turn, or the subtask's turn, that sent it. */
  readonly turnId: string;
  readonly subtask?: string;
  readonly createdAt: string;
  readonly endedAt?: string;
  /** Of a peer elsewhere: where its side of the work is found. */
  readonly remote?: { readonly contextId: string; readonly taskId?: string };
}

export interface TracedPeerCall {
  readonly shown: ShownPeerCall;
  /** Messages that follow from it, and whose they are: the peer's turn, if it is one of ours, and its answers. */
  readonly followed: readonly { readonly place: ManagedAgent; readonly id: string }[];
}

/** The messages to other agents that a turn's calls are. The same call always means the same message. */
export const readPeerCalls = async (
  store: Store,
  place: ManagedAgent,
  { turnId, steps }: { readonly turnId: string; readonly steps: readonly ShownStep[] },
): Promise<TracedPeerCall[]> => {
  const ids = steps.flatMap(({ step, calls }) =>
    calls.flatMap(({ name }, index) =>
      name === SEND_MESSAGE ? [callIdFor({ ...place, idempotencyKey: `${turnId}/${step}/${index}` })] : [],
    ),
  );
  return (await readCalls(store, place, ids)).map((call) => ({ shown: shownCall(call), followed: followed(call) }));
};

const shownCall = ({ id, agent, peer, mode, state, turnId, standing, createdAt, endedAt, remote }: PeerCall) => ({
  id,
  agent,
  peer,
  mode,
  state,
  turnId,
  ...(standing.subtaskId !== undefined && { subtask: standing.subtaskId }),
  createdAt,
  ...(endedAt !== undefined && { endedAt }),
  ...(remote && {
    remote: { contextId: remote.contextId, ...(remote.taskId !== undefined && { taskId: remote.taskId }) },
  }),
});

const followed = (call: PeerCall): TracedPeerCall["followed"] => {
  const { tenant, agent, peer, id, remote } = call;
  const rounds = Array.from({ length: remote?.rounds ?? 0 }, (_, round) => `${callbackIdOf(id)}/${round + 1}`);
  const own = [...rounds, callbackIdOf(id)].map((each) => ({ place: { tenant, agent }, id: each }));
  return remote ? own : [{ place: { tenant, agent: peer }, id: wakeMessage(call).id }, ...own];
};
