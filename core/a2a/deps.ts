import type { SubtaskDeps } from "../subtasks/index.ts";
import type { RemoteAgents } from "./client/remote-agents.ts";
import type { PeerDirectory } from "./peer-directory.ts";
import type { TenantSettings } from "./tenant-settings.ts";

/** Dependencies of everything that sends messages to other agents. */
export interface PeerDeps extends SubtaskDeps {
  readonly directory: PeerDirectory;
  readonly settings: TenantSettings;
  readonly remoteAgents: RemoteAgents;
  /** Aborted when this process stops and must abandon requests in flight. */
  readonly stopping: AbortSignal;
}
