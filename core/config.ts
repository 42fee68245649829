import { z } from "zod";
import { SkillConfig } from "./a2a/config.ts";
import { ApprovalsConfig } from "./approvals/config.ts";
import { AgentBudgetsConfig } from "./budgets/config.ts";
import { DeliveryConfig } from "./contract/messages/delivery-policy.ts";
import { Name } from "./contract/ports/token.ts";
import { Home } from "./delivery/index.ts";
import { FilesConfig } from "./files/config.ts";
import { MemoryConfig } from "./memory/lasting/config.ts";
import { ModelConfig } from "./model/config.ts";
import { RightsConfig } from "./rights/config.ts";
import { ScheduleConfig } from "./schedules/config.ts";
import { FetchUrlConfig, ToolsConfig } from "./tools/config.ts";
import { McpServersConfig } from "./tools/mcp/config.ts";
import { DelegationConfig, PeeringConfig } from "./turns/limits/index.ts";
import { WorkspaceConfig } from "./workspaces/config.ts";

const OwnModel = ModelConfig.refine(
  (model) => "contextTokens" in model,
  "must be a model: an agent elsewhere has its own history",
);

export const AgentConfig = z.strictObject({
  name: Name.describe("Its name, in the configuration and for other agents."),
  tenant: Name.default("default").describe("The tenant that it belongs to."),
  description: z.string().trim().min(1).max(1_000).optional().describe("Its description for other agents."),
  skills: z.array(SkillConfig).max(50).default([]).describe("Its skills for other agents."),
  peers: z
    .array(Name)
    .default([])
    .describe("Agents that it may call: agents of this deployment, which must list it too, or names of a2a.peers."),
  model: ModelConfig.describe("The model of its turns, subtasks and summaries."),
  fallbackModels: z
    .array(OwnModel)
    .max(5)
    .default([])
    .describe("Models that are asked, in this order, while those before them have an outage or a rate limit."),
  subtaskModels: z
    .record(Name, OwnModel)
    .default({})
    .describe("Other models that it may choose for a subtask, by the names that it sees."),
  directives: z.string().optional().describe("Instructions for the model in every turn: about the agent and its task."),
  maxToolRounds: z
    .int()
    .min(1)
    .max(100)
    .default(8)
    .describe("Rounds of tool calls in one turn, before it must answer."),
  maxTurnsPerPerson: z
    .int()
    .min(1)
    .max(1_000)
    .default(5)
    .describe("Turns that one person can have running at once with this agent, in all their conversations; more wait."),
  tools: ToolsConfig.prefault([]).describe(
    "Tools besides the built-in ones: modules by path, relative to this file, and requests to HTTP services. Each needs the right tool:<name>.",
  ),
  files: FilesConfig.prefault({}).describe("Files that people send to it."),
  fetchUrl: FetchUrlConfig.prefault({}).describe("Settings of fetch_url, which needs the right tool:fetch_url."),
  rights: RightsConfig.prefault({}).describe(
    "Rights by speaker: anonymous, member, operator, peer, peer:<caller>, group:<name> or <channel>:<account>. Each has a " +
      "list of delegate, remind, schedule, remember, peers, workspace, confirm, approve, tool:<name> (with * for any " +
      "characters) and " +
      "default. A class without an entry has its default.",
  ),
  pauseSchedulesAfterDays: z
    .int()
    .min(1)
    .max(3_650)
    .default(30)
    .describe("A schedule that repeats pauses if the person who made it has not written for this many days."),
  budgets: AgentBudgetsConfig.prefault({}).describe(
    "Limits of what its work may use, by scope: person, visitor and caller limit each one of them; anonymous, member, operator, peer, unattended and agent limit all work of that kind together.",
  ),
  approvals: ApprovalsConfig.prefault({}).describe("Requests to people to approve tool calls."),
  memory: MemoryConfig.prefault({}).describe("Bounds of lasting memory, which needs the right remember."),
  delegation: DelegationConfig.prefault({}).describe("Limits on subtasks."),
  peering: PeeringConfig.prefault({}).describe("Limits on calls to other agents."),
  delivery: DeliveryConfig.optional().describe(
    "Delivery of proactive messages to people who have not chosen it themselves.",
  ),
  mcpServers: McpServersConfig.default({}).describe(
    "MCP servers whose tools it has, by name, as other MCP clients write them. People need the right tool:<server>__<tool>.",
  ),
  workspace: WorkspaceConfig.optional().describe("The repository that its subtasks work on, each in its own worktree."),
  home: Home.optional().describe("The fallback target for results without a recipient: a room, or a person by name."),
  schedules: z.array(ScheduleConfig).default([]).describe("Tasks that start at set times."),
});
export type AgentConfig = z.infer<typeof AgentConfig>;
