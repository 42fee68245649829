import type { Config } from "../../config/index.ts";
import { isAgentElsewhere } from "../../core/model/index.ts";
import { isCalled } from "../agent-config.ts";
import { changedSettings, copySetting, type KeyPath } from "./changed-settings.ts";

/**
 * How a changed setting takes effect. "now": the code reads it at the time of use. "models": the next request to the
 * model. "agents": the agents of this process restart. "channel": that channel restarts. "everything": agents and all
 * channels restart. "process": only a restart of the process applies it.
 */
export type Effect = "now" | "models" | "agents" | "channel" | "channel-and-agents" | "everything" | "process";

/** The first match counts. Paths are joined with dots; everything that is not listed needs a restart of the process. */
const EFFECTS: readonly (readonly [RegExp, Effect])[] = [
  [/^logLevel$/, "now"],
  [/^(admin|metrics)\./, "now"],
  [/^a2a\.callers\.[^.]+\.(token|apiKey|requestsPerMinute)$/, "now"],
  [/^a2a\.(callers|peers|idleMs|webhookKey|previousWebhookKey)(\.|$)/, "agents"],
  [/^agents\.\d+\.(name|tenant)$/, "process"],
  [/^agents\.\d+\.(model|fallbackModels|subtaskModels)(\.|$)/, "models"],
  [/^agents\.\d+\.(files|budgets|home)(\.|$)/, "everything"],
  [/^agents\.\d+\./, "agents"],
  [/^channels\.[^.]+\.(adapter|agent)$/, "process"],
  [/^channels\.[^.]+\.(delivery|timeZone|locale)(\.|$)/, "channel-and-agents"],
  [/^channels\.[^.]+\./, "channel"],
  [/^people(\.|$)/, "everything"],
  [/^(groups|prices|timeZone)(\.|$)/, "agents"],
  [/^moderation\.(?!answers$)/, "agents"],
];

/** Settings that others refer to by name: while one of them waits for a restart, those others wait too. */
const REFERRED = /^(agents|channels|tenants|owner)(\.|$)/;
const MAY_REFER: readonly Effect[] = ["agents", "channel-and-agents", "everything"];

export interface ReloadPlan {
  /** The configuration in force afterwards: settings that need a restart keep their values. */
  readonly config: Config;
  readonly applied: readonly KeyPath[];
  readonly needsRestart: readonly KeyPath[];
  readonly replacesModels: boolean;
  readonly restartsAgents: boolean;
  readonly channels: readonly string[];
}

/** `misfits`: channels that cannot restart with their new settings in this process. */
export const planReload = (current: Config, read: Config, misfits: readonly string[] = []): ReloadPlan => {
  // The adapters are loaded code, which a process cannot load again.
  const changes = changedSettings(current, { ...read, adapters: current.adapters }).map((path) => ({
    path,
    effect: effectOf(path, current, read, misfits),
  }));
  const isReferredWaiting = changes.some(({ path, effect }) => effect === "process" && REFERRED.test(path.join(".")));
  const settled = changes.map(({ path, effect }) => ({
    path,
    effect: isReferredWaiting && MAY_REFER.includes(effect) ? ("process" as const) : effect,
  }));
  const having = (...effects: Effect[]) => settled.filter(({ effect }) => effects.includes(effect));
  const applied = settled.filter(({ effect }) => effect !== "process").map(({ path }) => path);
  const restartsAll = having("everything").length > 0;
  const changedChannels = having("channel", "channel-and-agents").map(({ path }) => String(path[1]));
  return {
    config: applied.reduce((config, path) => copySetting(read, config, path), current),
    applied,
    needsRestart: having("process").map(({ path }) => path),
    replacesModels: having("models").length > 0,
    restartsAgents: restartsAll || having("agents", "channel-and-agents").length > 0,
    channels: restartsAll ? Object.keys(current.channels) : [...new Set(changedChannels)],
  };
};

/** How a change of a setting takes effect, unless it depends on the new value. */
export const usualEffect = (path: KeyPath): Effect => {
  const spelled = path.join(".");
  return EFFECTS.find(([pattern]) => pattern.test(spelled))?.[1] ?? "process";
};

const effectOf = (path: KeyPath, current: Config, read: Config, misfits: readonly string[]): Effect => {
  const spelled = path.join(".");
  const effect = usualEffect(path);
  const [section, name] = path;
  if (section === "channels" && misfits.includes(String(name))) return "process";
  // Without a configured token, the token of the data folder counts, which only a start creates.
  if (section === "admin" && read.admin.tokens.length === 0) return "process";
  // The routes and cards of served agents are fixed at the start.
  if (/^a2a\.callers(\.|$)/.test(spelled) && servedBy(current) !== servedBy(read)) return "process";
  if (/^agents\.\d+\.(description|skills)(\.|$)/.test(spelled) && isServed(current, Number(name))) return "process";
  if (effect === "models" && !isReplaceable(current.agents[Number(name)], read.agents[Number(name)])) return "agents";
  return effect;
};

const servedBy = ({ agents, a2a }: Config): string =>
  agents
    .filter((agent) => isCalled(a2a, agent))
    .map(({ name }) => name)
    .join();

const isServed = ({ agents, a2a }: Config, index: number): boolean => {
  const agent = agents[index];
  return agent !== undefined && isCalled(a2a, agent);
};

type AgentSettings = Config["agents"][number];

/** Whether only the requests to models change: an agent elsewhere, the size of the history and names in tools do not. */
const isReplaceable = (before: AgentSettings | undefined, after: AgentSettings | undefined): boolean => {
  if (before === undefined || after === undefined) return false;
  const shape = ({ model, fallbackModels, subtaskModels }: AgentSettings) =>
    JSON.stringify([
      [model, ...fallbackModels].map((each) => ("contextTokens" in each ? each.contextTokens : 0)),
      Object.keys(subtaskModels).sort(),
    ]);
  return ![before.model, after.model].some(isAgentElsewhere) && shape(before) === shape(after);
};
