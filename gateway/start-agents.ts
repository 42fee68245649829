import { resolve } from "node:path";
import type { Config } from "../config/index.ts";
import type { Backbone } from "../core/contract/ports/backbone.ts";
import type { Clock } from "../core/contract/ports/clock.ts";
import type { Logger } from "../core/contract/ports/logger.ts";
import type { Checkpoint, Meter, Tracer } from "../core/contract/ports/telemetry.ts";
import { publishLoad } from "../core/intake/index.ts";
import { createModel } from "../core/model/index.ts";
import { Rights } from "../core/rights/index.ts";
import { type Core, startCore } from "../core/start-core.ts";
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
    agents: config.agents.map(({ model, home, schedules, workspace, rights, ...agent }) => ({
      ...agent,
      rights: new Rights(rights, groupAccounts(config)),
      ...homeAndChannelsOf(config, agent.name),
      defaultsOn: deliveryDefaults(config, agent.name),
      ...(workspace && { workspace: { ...workspace, ...workspacePaths(workspace, agent.name, config.dataDir) } }),
      schedules: configuredSchedules(config, schedules, home),
      inbound: inboundOptions(config, agent, home),
      budgets: budgetRules(config, agent),
      contextTokens: model.contextTokens,
      model: createModel(model, deps),
    })),
  });
  const loads = config.agents.map((agent) => publishLoad(deps, agent));
  return {
    async stop() {
      await Promise.all([core.stop(), ...loads.map((load) => load.close())]);
    },
  };
};

const workspacePaths = ({ repository, folder }: WorkspaceConfig, agent: string, dataDir: string) => ({
  repository: resolve(repository),
  folder: resolve(folder ?? `${dataDir}/workspaces/${agent}`),
});
