import type { AgentRef } from "../../contract/messages/addresses.ts";
import type { Clock } from "../../contract/ports/clock.ts";
import type { Logger } from "../../contract/ports/logger.ts";
import type { Store } from "../../contract/ports/store.ts";
import type { Meter } from "../../contract/ports/telemetry.ts";
import type { ToolSource } from "../../contract/tool.ts";
import type { McpServersConfig } from "./config.ts";
import { digestOf, StoredList } from "./list/stored-lists.ts";
import { McpServer } from "./mcp-server.ts";
import { McpToolSource } from "./mcp-tool-source.ts";
import { ChildGroups } from "./processes/child-groups.ts";
import { endOrphans } from "./processes/end-orphans.ts";

export interface McpDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  /** The folder for records of running programs. */
  readonly dataDir: string;
  /** The environment of this process; programs inherit a few variables of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
}

/** The MCP servers of all agents of this process. None of them starts before it is needed. */
export class McpServers {
  readonly #deps: McpDeps;
  readonly #groups: ChildGroups;
  readonly #ready: Promise<void>;
  readonly #servers: McpServer[] = [];

  constructor(deps: McpDeps) {
    this.#deps = deps;
    this.#groups = new ChildGroups(deps);
    this.#ready = endOrphans({ records: this.#groups.records, ...deps });
  }

  /** Undefined if the agent has no servers. */
  sourceOf(ref: AgentRef, servers: McpServersConfig): ToolSource | undefined {
    const own = Object.entries(servers)
      .filter(([, { disabled }]) => !disabled)
      .map(([name, config]) => {
        const logger = this.#deps.logger.child({ agent: ref.agent, server: name });
        const deps = { ...this.#deps, logger, groups: this.#groups, ready: this.#ready };
        const stored = new StoredList(deps, digestOf(ref, name, config));
        return new McpServer({ ...ref, server: name }, config, deps, stored);
      });
    if (own.length === 0) return undefined;
    this.#servers.push(...own);
    return new McpToolSource(own);
  }

  /** Resolves once every program and its children have ended. */
  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
    await this.#groups.stopAll();
    await this.#ready;
  }
}
