import type { Config } from "../../config/index.ts";
import { describedTools } from "../../core/agent-tools.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import { silentLogger } from "../../core/contract/ports/logger.ts";
import type { Tool } from "../../core/contract/tool.ts";
import { DEFAULT_RIGHTS, Rights } from "../../core/rights/index.ts";
import { openTools } from "../../core/tools/index.ts";
import { groupAccounts } from "../agent-config.ts";
import type { Finding } from "./finding.ts";

interface DescribedTools {
  /** A row for each tool: its name, its source and the speakers that may use it (T5). */
  readonly rows: [tool: string, text: string][];
  readonly findings: Finding[];
}

/** The configured tools of an agent. Loads its modules, and contacts no service. */
export const describeTools = async (
  config: Config,
  agent: Config["agents"][number],
  deps: { readonly clock: Clock },
): Promise<DescribedTools> => {
  const tools = await openTools({ ...deps, logger: silentLogger }, agent.name, agent);
  await tools.close();
  const rows = tools.listed.flatMap(({ tool, source }): [string, string][] => {
    // fetch_url is always there, so it is worth a line only if a speaker may use it.
    if (source === "built in" && usersOf(config, agent, tool.needs).length === 0) return [];
    return [[tool.name, describeTool(config, agent, tool, source)]];
  });
  const findings = tools.problems.map(
    (text): Finding => ({ verdict: "problem", subject: `tools of ${agent.name}`, text }),
  );
  return { rows, findings };
};

/** The built-in tools, in one row for all that need the same right. */
export const describeBuiltIn = (config: Config, agent: Agent): [tools: string, text: string][] => {
  const has = { peers: agent.peers.length > 0, workspace: agent.workspace !== undefined };
  const groups = new Map<string, string[]>();
  for (const { name, needs } of describedTools(agent, has)) {
    const users = needs === "talk" ? "everyone" : usersOf(config, agent, needs).join(", ");
    const text = users || `no speaker; grant ${needs} in rights`;
    groups.set(text, [...(groups.get(text) ?? []), name]);
  }
  return [...groups].map(([users, names]) => ["built in", `${names.join(", ")}: ${users}`]);
};

type Agent = Config["agents"][number];

/** The source of a tool, whether calls ask first, and the speakers that may use it. */
export const describeTool = (config: Config, agent: Agent, tool: Tool, source: string): string => {
  const users = usersOf(config, agent, tool.needs).join(", ");
  const asks = tool.approval && (tool.approval.isDestructive ? ", asks before each call" : ", asks first");
  return `${source}${asks ?? ""}: ${users || `no speaker; grant ${tool.needs} in rights`}`;
};

/** The entries of the rights that allow it. */
export const usersOf = (config: Config, agent: Agent, need: Tool["needs"]): string[] => {
  const rights = new Rights(agent.rights, groupAccounts(config));
  const speakers = [...new Set([...Object.keys(DEFAULT_RIGHTS), ...Object.keys(agent.rights)])];
  return speakers.filter((speaker) => rights.entryAllows(speaker, need));
};
