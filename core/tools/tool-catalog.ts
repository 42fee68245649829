import { basename } from "node:path";
import type { Clock } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { OfferedTools, Tool, ToolSource } from "../contract/tool.ts";
import type { GuardedFetch } from "../net/index.ts";
import type { FetchUrlConfig, ToolsConfig } from "./config.ts";
import { fetchUrlTool } from "./fetch-url/fetch-url.ts";
import { httpTool } from "./http/service-request.ts";
import { loadModule } from "./modules/load-module.ts";

/** The tools that the operator gave to one agent. */
export interface ToolSettings {
  /** Module paths are absolute. */
  readonly tools: ToolsConfig;
  readonly fetchUrl: FetchUrlConfig;
}

export interface ToolsDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A tool in the form that operators see. */
export interface ListedTool {
  readonly tool: Tool;
  /** "http", "module my-tools.mjs" or "built in". */
  readonly source: string;
}

/** The configured tools of an agent. */
export interface AgentTools extends ToolSource {
  readonly listed: readonly ListedTool[];
  /** One line per module or tool that cannot be used, for operators. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** Loads the configured tools. A tool with a fault is reported and left out; the others work. */
export const openTools = async (
  { clock, logger }: ToolsDeps,
  agent: string,
  { tools, fetchUrl }: ToolSettings,
  builtIn: readonly string[] = [],
): Promise<AgentTools> => {
  let guarded: Promise<GuardedFetch> | undefined;
  const guard = () => (guarded ??= openGuard(fetchUrl));
  const listed: ListedTool[] = [];
  const problems: string[] = [];
  const unavailable: string[] = [];
  const add = (tool: Tool, source: string) => {
    const isTaken = builtIn.includes(tool.name) || listed.some((other) => other.tool.name === tool.name);
    if (!isTaken) listed.push({ tool, source });
    else problems.push(`${source}: another tool is named "${tool.name}", so this one is left out; rename it`);
  };
  add(fetchUrlTool(fetchUrl, guard) as Tool, "built in");
  // Together, so that modules which hang delay the start by one time limit only.
  const opened = await Promise.all(
    tools.map(async (entry) => (typeof entry === "string" ? openModule(entry, clock) : httpTool(entry))),
  );
  for (const one of opened) {
    if (!("loaded" in one)) {
      add(one, "http");
      continue;
    }
    const { file, loaded } = one;
    for (const tool of loaded.tools) add(tool, `module ${file}`);
    problems.push(...loaded.problems.map((problem) => `module ${file} ${problem}`));
    if (loaded.tools.length === 0) unavailable.push(`- the tools of ${file}: the module has a fault`);
  }
  for (const problem of problems) logger.error({ agent, problem }, "tool cannot be used");
  const offered: OfferedTools = { tools: listed.map(({ tool }) => tool), unavailable };
  return {
    listed,
    problems,
    always: offered,
    offer: async () => offered,
    close: async () => (await guarded)?.close(),
  };
};

const openModule = async (path: string, clock: Clock) => ({
  file: basename(path),
  loaded: await loadModule(path, clock),
});

/** Loaded on first use, so that agents without it do not load the HTTP client. */
const openGuard = async ({ allowNetworks, maxBytes }: FetchUrlConfig): Promise<GuardedFetch> => {
  const { createGuardedFetch } = await import("../net/index.ts");
  return createGuardedFetch({ allow: allowNetworks, maxBytes });
};
