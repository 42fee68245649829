import { type Config, ownEnvironment } from "../../config/index.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import { systemClock } from "../../core/contract/ports/clock.ts";
import { silentLogger } from "../../core/contract/ports/logger.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import type { Tool } from "../../core/contract/tool.ts";
import { knownTools, probeServer, signInTarget } from "../../core/tools/index.ts";
import { VERSION } from "../version.ts";
import { describeTool, usersOf } from "./describe-tools.ts";
import type { Finding } from "./finding.ts";

type Agent = Config["agents"][number];
type Row = [tool: string, text: string];

/** The tools of the agent's MCP servers, as far as an earlier run has listed them (T5). Contacts no server. */
export const describeServers = async (config: Config, agent: Agent): Promise<Row[]> => {
  const rows = await Promise.all(
    serversOf(agent).map(async ([name, server]): Promise<Row[]> => {
      const tools = await knownTools(refOf(agent), name, server, probeDeps(config));
      if (tools === undefined) return [[`${name}__*`, `MCP ${name}: not listed yet, --live asks the server`]];
      return rowsOf(config, agent, name, tools);
    }),
  );
  return rows.flat();
};

/**
 * Connects to each server of each agent, and names its tools or what is wrong. The store has the tokens of operators'
 * sign-ins; it is undefined if it could not be opened.
 */
export const checkServers = (config: Config, store: Promise<Store | undefined>): Promise<Finding[]> =>
  Promise.all(
    config.agents.flatMap((agent) => serversOf(agent).map((entry) => checkServer(config, store, agent, entry))),
  );

const checkServer = async (
  config: Config,
  opened: Promise<Store | undefined>,
  agent: Agent,
  [name, server]: ReturnType<typeof serversOf>[number],
): Promise<Finding> => {
  const subject = `MCP server ${name} of ${agent.name}`;
  const needsStore = signInTarget(refOf(agent), name, server) !== undefined;
  const store = needsStore ? await opened : undefined;
  if (needsStore && store === undefined) {
    const text = "not checked, because the tokens of its sign-in are in the backbone; the console shows their state";
    return { verdict: "note", subject, text };
  }
  try {
    const tools = await probeServer(refOf(agent), name, server, { ...probeDeps(config), store });
    const details = rowsOf(config, agent, name, tools).map(([tool, text]) => `${tool}: ${text}`);
    const text = `it answers, with ${tools.length === 1 ? "1 tool" : `${tools.length} tools`}`;
    if (tools.some(({ needs }) => usersOf(config, agent, needs).length > 0)) {
      return { verdict: "ok", subject, text, details };
    }
    const grant = `no speaker may use them; grant tool:${name}__* in rights`;
    return { verdict: "warning", subject, text: `${text}, but ${grant}`, details };
  } catch (error) {
    return { verdict: "problem", subject, text: messageOf(error) };
  }
};

const refOf = ({ tenant, name }: Agent) => ({ tenant, agent: name });

const serversOf = ({ mcpServers }: Agent) => Object.entries(mcpServers).filter(([, { disabled }]) => !disabled);

const probeDeps = ({ dataDir }: Config) => ({
  dataDir,
  environment: ownEnvironment(),
  version: VERSION,
  clock: systemClock,
  logger: silentLogger,
});

const rowsOf = (config: Config, agent: Agent, server: string, tools: readonly Tool[]): Row[] =>
  tools.map((tool) => [tool.name, describeTool(config, agent, tool, `MCP ${server}`)]);
