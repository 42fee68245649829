import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import type { AgentModel } from "../../../core/model/agent-model.ts";
import { Rights } from "../../../core/rights/index.ts";
import { McpServersConfig } from "../../../core/tools/mcp/config.ts";
import { McpServers } from "../../../core/tools/mcp/mcp-servers.ts";
import { messageIn, startCoreOnBus } from "../core-on-bus.ts";
import { filler } from "../filler.ts";
import type { Floor } from "../floors/floor.ts";
import { loopTimes } from "../measure.ts";
import { scatteredKey } from "../scattered-key.ts";
import type { Scenario } from "../scenario.ts";
import { bothBackbones } from "./both-backbones.ts";

const PLAN = {
  tools: [{ name: "echo", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
};
/** The bench is bundled, so the program is found by the working directory. */
const SERVER = {
  command: process.execPath,
  args: [resolve("test/fakes/mcp/server.mjs"), JSON.stringify(PLAN)],
  trusted: true,
};

/** Calls the tool, then answers. */
const callingModel: AgentModel = {
  label: "calling",
  step: async ({ messages, tools }) => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    // A summary of the session has no tools.
    if (messages.at(-1)?.role === "tool" || tools.length === 0)
      return { text: "Noted.", toolCalls: [], finish: "stop", usage };
    const toolCalls = [{ id: `call-${messages.length}`, name: "tide__echo", input: { text: "hello" } }];
    return { text: "", toolCalls, finish: "tool-calls", usage };
  },
};

/** The floor makes the same six durable writes, and the same call with the bare SDK. */
const askFloor = async (floor: Floor, client: Client, serial: number): Promise<void> => {
  const key = scatteredKey(serial);
  let reply: () => void = () => undefined;
  const replied = new Promise<void>((resolve) => {
    reply = resolve;
  });
  await floor.publish(messageIn("room 0", "account 0", serial), async () => {
    await floor.put(`turn-${key}`, filler.bus.turn);
    await floor.put(`response-${key}`, filler.bus.history);
    await client.callTool({ name: "echo", arguments: { text: "hello" } });
    await floor.put(`result-${key}`, filler.bus.history);
    await floor.put(`history-${key}`, filler.bus.history);
    await floor.publish({ reply: filler.bus.reply }, async () => reply());
  });
  await replied;
};

const WARM_UP = 500;

export const mcpCall: Scenario = {
  name: "turn with one call of an MCP tool",
  aim: "≤ 1.3",
  async *prepare(quick) {
    for await (const { name, backbone, floor } of bothBackbones()) {
      const dataDir = await mkdtemp(join(tmpdir(), "mooring-bench-"));
      const deps = { store: backbone.store, clock: systemClock, logger: silentLogger, meter: silentMeter };
      const mcp = new McpServers({ ...deps, dataDir, environment: process.env, version: "0" });
      const servers = McpServersConfig.parse({ tide: SERVER });
      const toolSource = mcp.sourceOf({ tenant: "default", agent: "bench" }, servers);
      const rights = new Rights({ member: ["default", "tool:*"] });
      const product = await startCoreOnBus(backbone, { model: callingModel, rights, toolSource });
      const client = new Client({ name: "bench", version: "0" });
      await client.connect(new StdioClientTransport({ command: SERVER.command, args: SERVER.args }));
      let serial = 0;
      const ask = (session: number) => product.ask(`room ${session}`, `account ${session}`);
      const askBare = () => askFloor(floor, client, ++serial);
      for (const side of [ask, askBare]) await loopTimes(WARM_UP, 20, side);
      for (const sessions of [1, 20]) {
        const count = (quick ? 50 : 200) * (sessions === 1 ? 1 : 5);
        yield {
          name: `turn with one call of an MCP tool, ${sessions} sessions (${name})`,
          unit: "ms",
          product: () => loopTimes(count, sessions, ask),
          floor: () => loopTimes(count, sessions, askBare),
        };
      }
      await client.close();
      await product.stop();
      await mcp.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};
