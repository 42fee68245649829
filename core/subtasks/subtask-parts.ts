import type { PeerCallAddress } from "../contract/peer-call-address.ts";
import type { SubtaskNews } from "../contract/subtask-news.ts";
import type { ChangeEvents, CoreParts } from "../turns/index.ts";
import type { Workspaces } from "../workspaces/index.ts";
import type { ActivityPublisher } from "./activity-publisher.ts";
import type { DelegatedCalls } from "./delegated-calls.ts";
import type { OwnerRecords } from "./owner-records.ts";

/** What delegation runs on. */
export interface SubtaskParts extends CoreParts {
  readonly events: ChangeEvents<SubtaskNews>;
  /** Of messages to other agents. */
  readonly callEvents: ChangeEvents<PeerCallAddress>;
  readonly calls: DelegatedCalls;
  readonly activity: ActivityPublisher;
  readonly owners: OwnerRecords;
  /** By agent: those whose subtasks work on a repository (S12). */
  readonly workspaces: ReadonlyMap<string, Workspaces>;
}
