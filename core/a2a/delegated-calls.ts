import type { Store } from "../contract/store.ts";
import { type DelegatedCalls, shortResult, stages, type WorkItem } from "../subtasks/index.ts";
import { type PeerCall, readCalls, unreachableNote } from "./peer-call.ts";
import { releaseCalls } from "./settle-call.ts";

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
