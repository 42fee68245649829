import { resolve } from "node:path";
import { type Config, ownEnvironment } from "../config/index.ts";
import type { Backbone } from "../core/contract/ports/backbone.ts";
import type { Clock } from "../core/contract/ports/clock.ts";
import type { Logger } from "../core/contract/ports/logger.ts";
import type { Checkpoint, Meter, Tracer } from "../core/contract/ports/telemetry.ts";
import { publishLoad } from "../core/intake/index.ts";
import { createModel, type ModelDeps } from "../core/model/index.ts";
import { Rights } from "../core/rights/index.ts";
import { type Core, startCore } from "../core/start-core.ts";
import { McpServers } from "../core/tools/index.ts";
import type { WorkspaceConfig } from "../core/workspaces/index.ts";
import {
  budgetRules,
  configuredSchedules,
  declaredPeople,
  groupAccounts,
  homeAndChannelsOf,
  inboundOptions,
} from "./agent-config.ts";
import { createModerator } from "./moderation/index.ts";
import { deliveryDefaults } from "./relay/index.ts";
import { VERSION } from "./version.ts";

interface AgentsDeps {
  readonly config: Config;
  readonly backbone: Backbone;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly tracer?: Tracer | undefined;
  readonly checkpoint?: Checkpoint;
}

/** Less than the timeout of the whole stop, so that interrupted turns can still be returned to the queue. */
const STOP_GRACE_MS = 20_000;

/** Starts the core of this process with every configured agent. */
export const startAgents = async ({ config, ...deps }: AgentsDeps): Promise<Core> => {
  const { store } = deps.backbone;
  const mcp = new McpServers({
    ...deps,
    store,
    dataDir: config.dataDir,
    environment: ownEnvironment(),
    version: VERSION,
  });
  const core = await startCore({
    ...deps,
    moderator: await createModerator(config.moderation, deps),
    stopGraceMs: STOP_GRACE_MS,
    people: declaredPeople(config),
    tenants: config.tenants,
    remote: {
      peers: Object.entries(config.a2a.peers).map(([name, peer]) => ({ name, ...peer })),
      publicUrl: config.gateway.publicUrl,
      webhookKey: config.a2a.webhookKey,
    },
    agents: config.agents.map(
      ({
        model,
        fallbackModels,
        subtaskModels,
        home,
        schedules,
        workspace,
        rights,
        tools,
        fetchUrl,
        mcpServers,
        ...agent
      }) => ({
        ...agent,
        toolSource: mcp.sourceOf({ tenant: agent.tenant, agent: agent.name }, mcpServers),
        rights: new Rights(rights, groupAccounts(config)),
        toolSettings: { tools, fetchUrl },
        ...homeAndChannelsOf(config, agent.name),
        defaultsOn: deliveryDefaults(config, agent.name),
        ...(workspace && { workspace: { ...workspace, ...workspacePaths(workspace, agent.name, config.dataDir) } }),
        schedules: configuredSchedules(config, schedules, home),
        inbound: inboundOptions(config, agent, home),
        budgets: budgetRules(config, agent),
        contextTokens: smallestContext([model, ...fallbackModels]),
        model: (modelDeps) => createModel(model, modelDeps, fallbackModels),
        subtaskModels: Object.fromEntries(
          Object.entries(subtaskModels).map(([name, each]) => [name, (deps: ModelDeps) => createModel(each, deps)]),
        ),
      }),
    ),
  });
  const loads = config.agents.map((agent) => publishLoad(deps, agent));
  return {
    async stop() {
      await Promise.all([core.stop(), ...loads.map((load) => load.close())]);
      await mcp.stop();
    },
  };
};

/** The history must fit every model that may be asked. Undefined for an agent elsewhere, which has its own. */
const smallestContext = (models: readonly Config["agents"][number]["model"][]): number | undefined => {
  const sizes = models.flatMap((model) => ("contextTokens" in model ? model.contextTokens : []));
  return sizes.length === 0 ? undefined : Math.min(...sizes);
};

const workspacePaths = ({ repository, folder }: WorkspaceConfig, agent: string, dataDir: string) => ({
  repository: resolve(repository),
  folder: resolve(folder ?? `${dataDir}/workspaces/${agent}`),
});
