import type { AgentRef } from "../../contract/messages/addresses.ts";
import type { Clock } from "../../contract/ports/clock.ts";
import type { Logger } from "../../contract/ports/logger.ts";
import type { Store } from "../../contract/ports/store.ts";
import { silentMeter } from "../../contract/ports/telemetry.ts";
import type { Tool } from "../../contract/tool.ts";
import { ServerFailed } from "./client/connection.ts";
import type { McpServerConfig } from "./config.ts";
import { digestOf, readListFile } from "./list/stored-lists.ts";
import { McpServer } from "./mcp-server.ts";
import type { McpDeps } from "./mcp-servers.ts";
import { toolsOf } from "./offered-by-server.ts";
import { ChildGroups } from "./processes/child-groups.ts";

type ProbeDeps = Pick<McpDeps, "dataDir" | "environment" | "version"> & {
  readonly clock: Clock;
  readonly logger: Logger;
  /** For the tokens of sign-ins. */
  readonly store?: Store | undefined;
};

/** Keeps nothing: a check must work beside a running process, and change nothing. */
const emptyStore: Store = {
  get: async () => undefined,
  put: async () => 0,
  delete: async () => undefined,
  list: async function* () {},
};

const serverWithoutStore = (
  ref: AgentRef,
  name: string,
  config: McpServerConfig,
  deps: ProbeDeps,
  groups: ChildGroups,
) => {
  const stored = { read: async () => readListFile(deps.dataDir, digestOf(ref, name, config)), write: async () => {} };
  const all = { ...deps, store: deps.store ?? emptyStore, meter: silentMeter, groups, ready: Promise.resolve() };
  return new McpServer({ ...ref, server: name }, config, all, stored);
};

/** Connects to a server, and resolves to the tools that the agent has from it. Rejects with a text for operators. */
export const probeServer = async (
  ref: AgentRef,
  name: string,
  config: McpServerConfig,
  deps: ProbeDeps,
): Promise<readonly Tool[]> => {
  const server = serverWithoutStore(ref, name, config, deps, new ChildGroups(deps));
  try {
    await server.use(async () => undefined);
    return toolsOf(server);
  } catch (error) {
    throw error instanceof ServerFailed ? new ServerFailed(error.code, error.detail, error.detail) : error;
  } finally {
    await server.stop();
  }
};

/** The tools that the server had when a process of this folder last started it; undefined if it has not. */
export const knownTools = async (
  ref: AgentRef,
  name: string,
  config: McpServerConfig,
  deps: ProbeDeps,
): Promise<readonly Tool[] | undefined> => {
  if (readListFile(deps.dataDir, digestOf(ref, name, config)) === undefined) return undefined;
  const server = serverWithoutStore(ref, name, config, deps, new ChildGroups(deps));
  await server.readStoredList();
  return toolsOf(server);
};
