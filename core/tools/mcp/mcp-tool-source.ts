import type { Permit } from "../../contract/rights.ts";
import type { OfferedTools, Tool, ToolSource } from "../../contract/tool.ts";
import { prefixOfServer } from "./config.ts";
import type { McpServer } from "./mcp-server.ts";
import { toolsOf } from "./offered-by-server.ts";

/** The contribution of one server to a turn. */
interface Part {
  readonly tools: readonly Tool[];
  readonly problem: string | undefined;
}

interface Known {
  readonly parts: readonly Part[];
  readonly offered: OfferedTools;
}

/** The tools of all servers of one agent. A server whose tools the work may not use is not started for it. */
export class McpToolSource implements ToolSource {
  readonly #servers: readonly McpServer[];
  readonly #known = new WeakMap<Permit, Known>();

  constructor(servers: readonly McpServer[]) {
    this.#servers = servers;
  }

  async offer(permit: Permit): Promise<OfferedTools> {
    const servers = this.#servers.filter(({ name }) => permit.allowsSome(`tool:${prefixOfServer(name)}__`));
    await Promise.all(servers.map((server) => server.loadList()));
    const parts = servers.map((server) => ({ tools: toolsOf(server), problem: server.problem }));
    const known = this.#known.get(permit);
    // The same object, so that the prompt and the descriptions are made once.
    if (known !== undefined && isSame(known.parts, parts)) return known.offered;
    const offered = {
      tools: parts.flatMap(({ tools }) => tools.filter(({ needs }) => permit.allows(needs))),
      unavailable: servers.flatMap(({ name }, index) => {
        const problem = parts[index]?.problem;
        return problem === undefined ? [] : [`${name}: ${problem}`];
      }),
    };
    this.#known.set(permit, { parts, offered });
    return offered;
  }
}

const isSame = (known: readonly Part[], now: readonly Part[]): boolean =>
  known.length === now.length &&
  known.every(({ tools, problem }, index) => tools === now[index]?.tools && problem === now[index]?.problem);
