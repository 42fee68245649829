import type { PeerCallAddress } from "../contract/peer-call-address.ts";
import type { WorkItem } from "./activity-items.ts";
import type { Batch } from "./batch.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

type Sender = Pick<PeerCallAddress, "tenant" | "agent">;

/** A batch's calls to other agents. `core/a2a` implements it, because subtasks know nothing of the protocol. */
export interface DelegatedCalls {
  /** One activity line per call, in the order asked for; expired calls are left out. */
  items(sender: Sender, ids: readonly string[]): Promise<WorkItem[]>;
  /** Called when the turn that sent them ends: open calls are answered in a later turn. Idempotent. */
  release(parts: SubtaskParts, sender: Sender, batch: Batch, turn: { readonly hasFailed: boolean }): Promise<void>;
}
