import { z } from "zod";
import { SkillConfig } from "./a2a/config.ts";
import { DeliveryConfig } from "./contract/messages/delivery-policy.ts";
import { Name } from "./contract/ports/token.ts";
import { Home } from "./delivery/index.ts";
import { ModelConfig } from "./model/config.ts";
import { ScheduleConfig } from "./schedules/config.ts";
import { DelegationConfig, PeeringConfig } from "./turns/limits/index.ts";
import { WorkspaceConfig } from "./workspaces/config.ts";

export const AgentConfig = z.strictObject({
  name: Name,
  tenant: Name.default("default"),
  description: z.string().trim().min(1).max(1_000).optional().describe("What other agents read about it."),
  skills: z.array(SkillConfig).max(50).default([]).describe("What it can do for other agents."),
  peers: z
    .array(Name)
    .default([])
    .describe("Agents that it may call: those here must name it too, or one of a2a.peers."),
  model: ModelConfig,
  directives: z.string().optional().describe("What the agent is told about itself and its task, in every turn."),
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
  delegation: DelegationConfig.prefault({}),
  peering: PeeringConfig.prefault({}),
  delivery: DeliveryConfig.optional().describe("How unsolicited answers reach people who do not say it themselves."),
  workspace: WorkspaceConfig.optional().describe(
    "A repository that its subtasks work on, each in a worktree of its own.",
  ),
  home: Home.optional().describe("A room, or a person by name: where results go that have nobody to go to."),
  schedules: z.array(ScheduleConfig).default([]).describe("Work that starts by itself."),
});
export type AgentConfig = z.infer<typeof AgentConfig>;
