import type { AgentRef } from "../../contract/agent-ref.ts";
import type { Store } from "../../contract/store.ts";
import {
  type Batch,
  type DelegatedCalls,
  openCalls,
  type SubtaskParts,
  shortResult,
  stages,
  type WorkItem,
} from "../../subtasks/index.ts";
import { type PeerCall, readCalls, unreachableNote } from "../record/peer-call.ts";
import { countEnd, demoteCall } from "./settle-call.ts";

/** Calls to other agents, as the batches of subtasks see them. */
export const delegatedCalls = (store: Store): DelegatedCalls => ({
  items: async (sender, ids) => (await readCalls(store, sender, ids)).map(itemOfCall),
  release: releaseCalls,
});

/** A call is running from the moment it is sent, and pending while the peer is unreachable. */
const itemOfCall = (call: PeerCall): WorkItem => {
  const { id, headline, state, createdAt, endedAt, notes, answer, error } = call;
  const unreachable = unreachableNote(call);
  const note = unreachable ?? call.note;
  const shown = ({ open: "running", answered: "completed", failed: "failed" } as const)[state];
  const result = answer ?? error;
  return {
    item: {
      id,
      name: headline,
      state: unreachable === undefined ? shown : "pending",
      startedAt: createdAt,
      ...(endedAt !== undefined && { endedAt }),
      ...(note !== undefined && { note }),
      ...(result !== undefined && { result: shortResult(result) }),
    },
    revision: 1 + stages[shown] + notes,
    endedAt,
    actions: [],
  };
};

/**
 * Releases the calls of a turn that has ended: their answers arrive later, and a call without a record counts as ended.
 * If the turn failed, the person has not seen the questions that it read, so each question gets its own turn.
 */
const releaseCalls = async (
  deps: SubtaskParts,
  sender: AgentRef,
  batch: Batch,
  { hasFailed }: { readonly hasFailed: boolean },
): Promise<void> => {
  const { turnId, standing } = batch;
  const address = { ...sender, ownerId: standing.owner.ownerId, turnId };
  for (const { id } of openCalls(batch)) {
    const call = await demoteCall(deps, { ...sender, id }, hasFailed ? withoutReadQuestion : undefined);
    if (call === undefined) await countEnd(deps, address, { id });
  }
};

const withoutReadQuestion = (call: PeerCall): PeerCall => {
  if (call.remote?.questionRead === undefined) return call;
  const { questionRead: _, ...remote } = call.remote;
  return { ...call, remote };
};
