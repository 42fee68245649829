import type { InboundOptions } from "./a2a/inbound/index.ts";
import type { ApprovalsConfig } from "./approvals/index.ts";
import type { BudgetRules } from "./budgets/index.ts";
import { AppError } from "./contract/app-error.ts";
import type { DeliveryDefaults } from "./contract/messages/delivery-policy.ts";
import type { Tool, ToolSource } from "./contract/tool.ts";
import type { FilesConfig } from "./files/index.ts";
import type { MemoryConfig } from "./memory/lasting/index.ts";
import type { AgentModel, ModelDeps } from "./model/index.ts";
import { Rights } from "./rights/index.ts";
import type { ScheduleOptions } from "./schedules/index.ts";
import type { ToolSettings } from "./tools/index.ts";
import type { Agent } from "./turns/index.ts";
import { type DelegationConfig, defaultDelegation, defaultPeering, type PeeringConfig } from "./turns/limits/index.ts";
import type { WorkspaceOptions } from "./workspaces/index.ts";

export interface AgentOptions extends ScheduleOptions {
  readonly name: string;
  readonly tenant: string;
  /** A function gets ports that only core has. */
  readonly model: AgentModel | ((deps: ModelDeps) => AgentModel);
  /** Other models for its subtasks, by name. */
  readonly subtaskModels?: Readonly<Record<string, AgentModel | ((deps: ModelDeps) => AgentModel)>> | undefined;
  readonly directives?: string | undefined;
  readonly maxToolRounds?: number | undefined;
  readonly contextTokens?: number | undefined;
  readonly maxTurnsPerPerson?: number | undefined;
  readonly delegation?: DelegationConfig | undefined;
  /** The bounds of lasting memory; absent: the default ones. */
  readonly memory?: MemoryConfig | undefined;
  /** Absent: the default rights. */
  readonly rights?: Rights | undefined;
  readonly pauseSchedulesAfterDays?: number | undefined;
  readonly files?: Pick<FilesConfig, "keepDays"> | undefined;
  /** Limits of what its work may cost; absent: none. */
  readonly budgets?: BudgetRules | undefined;
  /** Absent: requests to approve a call expire after a day. */
  readonly approvals?: ApprovalsConfig | undefined;
  /** The tools that the operator gave it; absent: none. */
  readonly toolSettings?: ToolSettings | undefined;
  /** Replaces the tools of the settings. */
  readonly toolSource?: ToolSource | undefined;
  /** The repository that its subtasks work on, each in its own worktree. */
  readonly workspace?: WorkspaceOptions | undefined;
  /** Agents that it may call; agents of this deployment must list it too. */
  readonly peers?: readonly string[] | undefined;
  readonly peering?: PeeringConfig | undefined;
  /** The agent's description for other agents. */
  readonly description?: string | undefined;
  /** The operator's settings for proactive messages, by channel. */
  readonly defaultsOn?: ((channel: string) => DeliveryDefaults) | undefined;
  /** Present if other agents may call it. */
  readonly inbound?: InboundOptions | undefined;
}

const DEFAULT_TOOL_ROUNDS = 8;
const DEFAULT_TURNS_PER_PERSON = 5;
const DEFAULT_PAUSE_DAYS = 30;
const DEFAULT_KEEP_DAYS = 7;
const DEFAULT_CONTEXT_TOKENS = 128_000;

export const modelOf = (model: AgentOptions["model"], deps: ModelDeps): AgentModel =>
  typeof model === "function" ? model(deps) : model;

export const distinct = (tools: readonly Tool[]): readonly Tool[] => {
  const duplicate = tools.find(({ name }, index) => tools.findIndex((tool) => tool.name === name) !== index);
  if (duplicate === undefined) return tools;
  throw new AppError("bad-configuration", `two tools are named "${duplicate.name}"; rename one of them`);
};

/** An agent with the defaults of what its options leave out. */
export const agentFrom = (
  {
    maxToolRounds = DEFAULT_TOOL_ROUNDS,
    contextTokens = DEFAULT_CONTEXT_TOKENS,
    maxTurnsPerPerson = DEFAULT_TURNS_PER_PERSON,
    name,
    tenant,
    directives,
    delegation = defaultDelegation,
    peering = defaultPeering,
    rights = new Rights(),
    files = { keepDays: DEFAULT_KEEP_DAYS },
    pauseSchedulesAfterDays = DEFAULT_PAUSE_DAYS,
    defaultsOn = () => ({}),
    toolSource,
  }: AgentOptions,
  model: AgentModel,
  tools: readonly Tool[],
): Agent => ({
  name,
  tenant,
  model,
  directives,
  maxToolRounds,
  contextTokens,
  maxTurnsPerPerson,
  delegation,
  peering,
  rights,
  files,
  pauseSchedulesAfterDays,
  defaultsOn,
  tools,
  toolSource,
});
