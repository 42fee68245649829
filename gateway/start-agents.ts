import { resolve } from "node:path";
import { type Config, ownEnvironment } from "../config/index.ts";
import { AppError } from "../core/contract/app-error.ts";
import type { Backbone } from "../core/contract/ports/backbone.ts";
import type { Clock } from "../core/contract/ports/clock.ts";
import type { Logger } from "../core/contract/ports/logger.ts";
import type { Checkpoint, Meter, ToolCallLog, Tracer } from "../core/contract/ports/telemetry.ts";
import { publishLoad } from "../core/intake/index.ts";
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
import { AgentModels, PartLost } from "./reload/index.ts";
import { VERSION } from "./version.ts";

interface AgentsDeps {
  readonly config: Config;
  readonly backbone: Backbone;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly tracer?: Tracer | undefined;
  readonly toolCalls?: ToolCallLog;
  readonly checkpoint?: Checkpoint;
}

/** Less than the timeout of the whole stop, so that interrupted turns can still be returned to the queue. */
const STOP_GRACE_MS = 20_000;

interface StartedAgents {
  readonly core: Core;
  readonly models: AgentModels;
}

/** The agents of this process. A reload replaces their models or restarts them with other settings. */
export class RunningAgents {
  readonly #deps: Omit<AgentsDeps, "config">;
  #config: Config;
  #running: StartedAgents;
  #restart: Promise<void> = Promise.resolve();
  #isStopped = false;

  private constructor({ config, ...deps }: AgentsDeps, running: StartedAgents) {
    this.#deps = deps;
    this.#config = config;
    this.#running = running;
  }

  static async start(deps: AgentsDeps): Promise<RunningAgents> {
    return new RunningAgents(deps, await startAgents(deps));
  }

  replaceModels(config: Config): void {
    this.#running.models.replace(config);
    this.#config = config;
  }

  /**
   * Turns in progress end first, within the grace time; the others continue afterwards, with messages of the meantime.
   * A configuration that cannot be used leaves the agents with the old one.
   */
  restart(config: Config): Promise<void> {
    const restarted = this.#restartWith(config);
    this.#restart = restarted.catch(() => undefined);
    return restarted;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#restart;
    await this.#running.core.stop();
  }

  async #restartWith(config: Config): Promise<void> {
    if (this.#isStopped) throw new AppError("stopped", "this process is stopping");
    await this.#running.core.stop();
    try {
      this.#running = await startAgents({ ...this.#deps, config });
      this.#config = config;
    } catch (error) {
      // Anything else may have started a part of them, and a second one beside it would do work twice.
      if (!(error instanceof AppError && error.code === "bad-configuration")) throw new PartLost("agents", error);
      await this.#startAgain();
      throw error;
    }
  }

  async #startAgain(): Promise<void> {
    try {
      this.#running = await startAgents({ ...this.#deps, config: this.#config });
    } catch (error) {
      throw new PartLost("agents", error);
    }
  }
}

/** Starts the core of this process with every configured agent. */
const startAgents = async ({ config, ...deps }: AgentsDeps): Promise<StartedAgents> => {
  const { store } = deps.backbone;
  const models = new AgentModels();
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
      previousWebhookKey: config.a2a.previousWebhookKey,
    },
    agents: config.agents.map((settings) => {
      const { model, fallbackModels, home, schedules, workspace, rights, tools, fetchUrl, mcpServers, ...agent } =
        settings;
      return {
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
        model: models.ofTurns(settings),
        subtaskModels: models.ofSubtasks(settings),
      };
    }),
  });
  const loads = config.agents.map((agent) => publishLoad(deps, agent));
  const stop = async () => {
    await Promise.all([core.stop(), ...loads.map((load) => load.close())]);
    await mcp.stop();
  };
  return { core: { stop }, models };
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
