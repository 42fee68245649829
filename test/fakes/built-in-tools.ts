import { agentTools, callerTools, subagentTools } from "../../core/agent-tools.ts";
import type { Tool } from "../../core/contract/tool.ts";
import { defaultDelegation, defaultPeering } from "../../core/turns/limits/index.ts";

const self = { tenant: "default", name: "mooring" };
const deps = {
  workspaces: new Map([[self.name, { options: { commands: [["npm", "test"]] } }]]),
  directory: { peersOf: () => [{}] },
  inbound: { rulesOf: () => ({ noticeSkills: [] }) },
};

/** The tools of an agent that has peers and a repository. They cannot be run. */
export const ownTools: readonly Tool[] = agentTools(deps as never, self, {
  delegation: defaultDelegation,
  peering: defaultPeering,
});

/** All built-in tools, with those of subagents and of turns for calling agents. */
export const builtInTools: readonly Tool[] = [
  ...ownTools,
  ...subagentTools(deps as never, self),
  ...callerTools(deps as never, self),
];
