import { sendMessageTool } from "./a2a/calls/send-message-tool.ts";
import { askCaller, notifyPeople } from "./a2a/inbound/caller-tools.ts";
import type { InboundTurns } from "./a2a/inbound/index.ts";
import type { PeerDeps } from "./a2a/index.ts";
import type { Tool } from "./contract/tool.ts";
import { readAttachmentTool } from "./files/read-attachment-tool.ts";
import { defaultMemory, type MemoryConfig } from "./memory/lasting/index.ts";
import { lastingMemoryTools } from "./memory/lasting/lasting-memory-tools.ts";
import { memoryTools } from "./memory/memory-tools.ts";
import type { ScheduleDeps } from "./schedules/index.ts";
import { scheduleTools } from "./schedules/schedule-tools.ts";
import { controlTools } from "./subtasks/tools/control-tools.ts";
import { reportTools } from "./subtasks/tools/report-tools.ts";
import { awaitSubtasks, spawnTools } from "./subtasks/tools/spawn-tools.ts";
import { workspaceTools } from "./subtasks/tools/workspace-tools.ts";
import type { Agent, CoreDeps } from "./turns/index.ts";
import { defaultDelegation, defaultPeering } from "./turns/limits/index.ts";
import { nothingToSay } from "./turns/nothing-to-say-tool.ts";
import { fileTools } from "./workspaces/file-tools.ts";

// The only list of built-in tools, by the turns that have them: a new tool is one file and one line here.

interface Deps extends PeerDeps, ScheduleDeps {}

interface CallerDeps extends CoreDeps {
  readonly inbound: InboundTurns;
}

type Limits = Pick<Agent, "delegation" | "peering" | "subtaskModels"> &
  Partial<Pick<Agent, "defaultsOn">> & { readonly memory?: MemoryConfig | undefined };

/** Tools of an agent. The flags of a tool decide whether subagents and turns for other agents have it too. */
export const agentTools = (
  deps: Deps,
  self: Pick<Agent, "tenant" | "name">,
  { delegation, peering, subtaskModels, defaultsOn, memory = defaultMemory }: Limits,
  plugIns: readonly Tool[] = [],
): readonly Tool[] => {
  const workspaces = deps.workspaces.get(self.name);
  const hasPeers = deps.directory.peersOf({ tenant: self.tenant, agent: self.name }).length > 0;
  return [
    nothingToSay,
    ...memoryTools(deps.store, deps.clock),
    ...lastingMemoryTools(deps, memory),
    readAttachmentTool(deps.store),
    ...plugIns,
    ...spawnTools(deps, delegation, [...(subtaskModels?.keys() ?? [])]),
    awaitSubtasks(deps, delegation),
    ...controlTools(deps, delegation),
    ...(workspaces === undefined ? [] : workspaceTools(deps, workspaces)),
    ...scheduleTools(deps, defaultsOn),
    ...(hasPeers ? [sendMessageTool(deps, peering, self)] : []),
  ] as Tool[];
};

/** The names and rights of an agent's built-in tools, for operators. They cannot be run. */
export const describedTools = (
  self: Pick<Agent, "tenant" | "name">,
  has: { readonly peers: boolean; readonly workspace: boolean },
): readonly Pick<Tool, "name" | "needs">[] => {
  const workspaces = new Map(has.workspace ? [[self.name, {}]] : []);
  const deps = { workspaces, directory: { peersOf: () => (has.peers ? [{}] : []) } };
  return agentTools(deps as never, self, { delegation: defaultDelegation, peering: defaultPeering });
};

/** Tools that only subagents have. */
export const subagentTools = (deps: Deps, { name }: Pick<Agent, "name">): readonly Tool[] => {
  const workspaces = deps.workspaces.get(name);
  return [...reportTools(deps), ...(workspaces === undefined ? [] : fileTools(workspaces))];
};

/** Tools that only turns for a calling agent have. */
export const callerTools = (deps: CallerDeps, { tenant, name }: Pick<Agent, "tenant" | "name">): readonly Tool[] => {
  const canNotify = deps.inbound.rulesOf({ tenant, agent: name }).notices !== undefined;
  return [askCaller(deps), ...(canNotify ? [notifyPeople(deps)] : [])] as Tool[];
};
