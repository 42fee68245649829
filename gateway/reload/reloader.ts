import { type Config, spellPath } from "../../config/index.ts";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Backbone } from "../../core/contract/ports/backbone.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { LiveConfig } from "./live-config.ts";
import { planReload, type ReloadPlan } from "./reload-plan.ts";

/** Paths of settings and names of parts, never values. */
export interface ReloadReport {
  /** The changed settings that are in force now. */
  readonly applied: readonly string[];
  /** The parts of this process that were restarted for them. */
  readonly restarted: readonly string[];
  /** The changed settings that only a restart of the process applies. */
  readonly needsRestart: readonly string[];
}

/** A part could be started neither with the new settings nor with the old ones, so the process must exit. */
export class PartLost extends AppError {
  constructor(part: string, cause: unknown) {
    super("internal", `${part} could not be started again: ${messageOf(cause)}`, { cause });
  }
}

interface ReloadableAgents {
  /** The next request to each model uses the new settings. Throws before any change. */
  replaceModels(config: Config): void;
  /** Rejects with the old settings in force, or with PartLost. */
  restart(config: Config): Promise<void>;
}

/** Channels that can restart with their new settings, and those that cannot in this process. */
export interface PreparedChannels {
  readonly misfits: readonly string[];
  /** Restarts the others. Rejects with PartLost only. */
  restart(): Promise<void>;
}

interface ReloadableChannels {
  /** Rejects before any change. */
  prepare(config: Config, channels: readonly string[]): Promise<PreparedChannels>;
}

interface ReloaderDeps {
  readonly live: LiveConfig;
  /** Reads the file, the environment file and the secret files again. Absent: there is no file to read. */
  readonly read?: (() => Promise<Config>) | undefined;
  readonly backbone: Backbone;
  readonly logger: Logger;
  readonly setLogLevel?: ((level: Config["logLevel"]) => void) | undefined;
  readonly agents?: ReloadableAgents | undefined;
  readonly channels?: ReloadableChannels | undefined;
  /** Called after a part was lost. */
  readonly onPartLost: (error: PartLost) => void;
}

/** Applies a changed configuration to a running process. Reloads run one at a time. */
export class Reloader {
  readonly #deps: ReloaderDeps;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: ReloaderDeps) {
    this.#deps = deps;
  }

  /** Rejects without any change if the configuration is invalid or a part cannot run with it. */
  reload(): Promise<ReloadReport> {
    const next = this.#last.then(() => this.#reload());
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #reload(): Promise<ReloadReport> {
    const { logger } = this.#deps;
    try {
      const report = await this.#apply();
      logger.info({ ...report }, "configuration reloaded");
      if (report.needsRestart.length > 0)
        logger.warn({ settings: report.needsRestart }, "changed settings need a restart of this process");
      return report;
    } catch (error) {
      if (error instanceof PartLost) this.#deps.onPartLost(error);
      else logger.error({ reason: messageOf(error) }, "configuration not reloaded, nothing has changed");
      throw error;
    }
  }

  async #apply(): Promise<ReloadReport> {
    const { live, read, agents, channels, setLogLevel } = this.#deps;
    if (read === undefined) throw new AppError("bad-configuration", "this process has no configuration file to reload");
    const config = await read();
    let plan = planReload(live.current, config);
    let prepared = await channels?.prepare(plan.config, plan.channels);
    if (prepared && prepared.misfits.length > 0) {
      plan = planReload(live.current, config, prepared.misfits);
      prepared = await channels?.prepare(plan.config, plan.channels);
    }
    this.#refuseDuringOutage(plan);
    if (agents && plan.restartsAgents) await agents.restart(plan.config);
    else if (agents && plan.replacesModels) agents.replaceModels(plan.config);
    live.replace(plan.config);
    setLogLevel?.(plan.config.logLevel);
    await prepared?.restart();
    return {
      applied: plan.applied.map(spellPath),
      restarted: [
        ...(agents && plan.restartsAgents ? ["agents"] : []),
        ...(channels ? plan.channels.map((channel) => `channel ${channel}`) : []),
      ],
      needsRestart: plan.needsRestart.map(spellPath),
    };
  }

  /** A part that stops while nothing can be stored could not start again. */
  #refuseDuringOutage({ restartsAgents, channels }: ReloadPlan): void {
    const health = this.#deps.backbone.health();
    if (health.ok || (!restartsAgents && channels.length === 0)) return;
    throw new AppError("unavailable", `the backbone is not healthy (${health.reason}): reload again once it is`);
  }
}
