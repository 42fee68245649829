import type { AgentRef, BatchTimer, PeerCallAddress } from "../contract/messages/addresses.ts";
import type { SubtaskUpdate } from "../contract/messages/signals.ts";
import type { Bus } from "../contract/ports/bus.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { Store } from "../contract/ports/store.ts";
import type { Texts } from "../contract/texts/texts.ts";
import { ChangeEvents } from "../lib/index.ts";
import type { CoreDeps } from "../turns/index.ts";
import type { Workspaces } from "../workspaces/index.ts";
import type { CallActivity } from "./activity/activity-entry.ts";
import { ActivityPublisher } from "./activity/activity-publisher.ts";
import { OwnerRecordWriter } from "./owner/owner-record-writer.ts";

/** A batch's calls to other agents, and calls that wait for an approval. Higher layers implement it. */
export interface DelegatedCalls {
  /** In the order of `ids`, without expired calls. */
  items(sender: AgentRef, ids: readonly string[], texts: Texts): Promise<CallActivity[]>;
  /** Called when the turn that sent them ends: open calls are answered in a later turn. Idempotent. */
  release(
    deps: SubtaskDeps,
    batch: BatchTimer,
    openCalls: readonly string[],
    turn: { readonly hasFailed: boolean; readonly isCancelled: boolean },
  ): Promise<void>;
  /** Called when the work that made them is cancelled; with `atPeers`, also the work of the other agents. Idempotent. */
  cancel(deps: SubtaskDeps, sender: AgentRef, openCalls: readonly string[], atPeers: boolean): Promise<void>;
}

export interface SubtaskDeps extends CoreDeps {
  readonly events: ChangeEvents<SubtaskUpdate>;
  /** Changes of calls to other agents. */
  readonly callEvents: ChangeEvents<PeerCallAddress>;
  readonly calls: DelegatedCalls;
  readonly activity: ActivityPublisher;
  readonly owners: OwnerRecordWriter;
  /** Workspaces by agent; only for agents whose subtasks work on a repository (S12). */
  readonly workspaces: ReadonlyMap<string, Workspaces>;
}

interface Base {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Activity entries show no text of models, because it is not moderated. */
  readonly withoutModelText?: boolean;
}

/** The state that delegation shares within one process. The caller closes the events and stops the activity. */
export const delegationDeps = (base: Base, calls: DelegatedCalls) => ({
  events: new ChangeEvents<SubtaskUpdate>(),
  callEvents: new ChangeEvents<PeerCallAddress>(),
  calls,
  activity: new ActivityPublisher({ ...base, calls }),
  owners: new OwnerRecordWriter(base.store, base.clock),
});
