import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import type { AgentModel } from "../../../core/model/agent-model.ts";
import { Rights } from "../../../core/rights/index.ts";
import { FetchUrlConfig, ToolsConfig } from "../../../core/tools/config.ts";
import { joinSources, openTools } from "../../../core/tools/index.ts";
import { McpServersConfig } from "../../../core/tools/mcp/config.ts";
import { McpServers } from "../../../core/tools/mcp/mcp-servers.ts";
import { startCoreOnBus } from "../core-on-bus.ts";
import { STDIO_SERVER } from "../mcp-fixtures.ts";
import type { Rig } from "../scenarios/both-backbones.ts";

/** A module of the operator, as it stands beside a configuration. */
const MODULE = `
import { z } from ${JSON.stringify(pathToFileURL(resolve("node_modules/zod/index.js")).href)};
export default {
  contract: 1,
  name: "module_echo",
  description: "Echoes",
  input: z.object({ text: z.string() }),
  run: async ({ text }) => "echo: " + text,
};
`;

/** Then a session goes on in another room, so that the prompt of a turn stays short. */
export const TURNS_OF_ROOM = 7;

export interface Product {
  ask(session: number): Promise<void>;
  stop(): Promise<void>;
}

/** Core with a tool of each kind. */
export const startProduct = async ({ backbone }: Rig, service: string, model: AgentModel): Promise<Product> => {
  const dataDir = await mkdtemp(join(tmpdir(), "mooring-bench-"));
  const file = join(dataDir, "echo.mjs");
  await writeFile(file, MODULE);
  const deps = { store: backbone.store, clock: systemClock, logger: silentLogger, meter: silentMeter };
  const mcp = new McpServers({ ...deps, dataDir, environment: process.env, version: "0" });
  const servers = McpServersConfig.parse({
    local: { ...STDIO_SERVER, trusted: true },
    remote: { url: `${service}/mcp`, trusted: true },
  });
  const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  const http = { name: "fetch_echo", description: "Echoes", url: `${service}/echo`, input };
  const fetchUrl = FetchUrlConfig.parse({ hosts: [new URL(service).host], allowNetworks: ["127.0.0.0/8"] });
  const tools = await openTools(deps, "bench", { tools: ToolsConfig.parse([http, file]), fetchUrl });
  const toolSource = joinSources([tools, mcp.sourceOf({ tenant: "default", agent: "bench" }, servers)]);
  const rights = new Rights({ member: ["default", "tool:*"] });
  const core = await startCoreOnBus(backbone, { model, rights, toolSource });
  const asked = new Map<number, number>();
  return {
    ask(session) {
      const before = asked.get(session) ?? 0;
      asked.set(session, before + 1);
      return core.ask(`room ${session}-${Math.floor(before / TURNS_OF_ROOM)}`, `account ${session}`);
    },
    async stop() {
      await core.stop();
      await tools.close();
      await mcp.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
