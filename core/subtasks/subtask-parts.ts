import type { CoreParts } from "../turns/turn.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";
import type { ActivityPublisher } from "./activity-publisher.ts";
import type { OwnerRecords } from "./owner-records.ts";
import type { SubtaskEvents } from "./subtask-events.ts";

/** What delegation runs on. */
export interface SubtaskParts extends CoreParts {
  readonly events: SubtaskEvents;
  readonly activity: ActivityPublisher;
  readonly owners: OwnerRecords;
  /** By agent: those whose subtasks work on a repository (S12). */
  readonly workspaces: ReadonlyMap<string, Workspaces>;
}
