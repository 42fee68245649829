import { RevisionConflict } from "../contract/app-error.ts";
import type { PeerCallAddress } from "../contract/peer-call-address.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { CoreParts } from "../turns/index.ts";
import type { PeerCall } from "./peer-call.ts";
import { callKey } from "./peer-call.ts";

/**
 * Changes an open call by compare-and-set and tells of it. The change may be asked several times; the same call back:
 * nothing to write. One that has ended stays as it is. Undefined: there is none, or it has expired.
 */
export const changeCall = async (
  { store, bus }: Pick<CoreParts, "store" | "bus">,
  address: PeerCallAddress,
  change: (call: PeerCall) => PeerCall,
): Promise<PeerCall | undefined> => {
  const { tenant, agent, id } = address;
  for (;;) {
    const stored = await store.get(callKey(address));
    if (stored === undefined) return undefined;
    const before = stored.value;
    const after = before.state === "open" ? change(before) : before;
    if (after === before) return before;
    try {
      await store.put(callKey(address), after, { ifRevision: stored.revision });
      bus.signal(subjectsOf(tenant).peerCallChanged(agent), { tenant, agent, id });
      return after;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};
