import type { SubtaskParts } from "../subtasks/index.ts";
import type { RemoteAgents } from "./client/remote-agents.ts";
import type { PeerDirectory } from "./peer-directory.ts";
import type { TenantSettings } from "./tenant-settings.ts";

/** What messages to other agents run on. */
export interface PeerParts extends SubtaskParts {
  readonly directory: PeerDirectory;
  readonly settings: TenantSettings;
  readonly remoteAgents: RemoteAgents;
  /** Aborted when this process must let go of what it does. */
  readonly stopping: AbortSignal;
}
