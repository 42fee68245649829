import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import type { AgentModel } from "../../../core/model/agent-model.ts";
import type { StepResponse } from "../../../core/model/index.ts";
import { Rights } from "../../../core/rights/index.ts";
import { FetchUrlConfig, ToolsConfig } from "../../../core/tools/config.ts";
import { joinSources, openTools } from "../../../core/tools/index.ts";
import { McpServersConfig } from "../../../core/tools/mcp/config.ts";
import { McpServers } from "../../../core/tools/mcp/mcp-servers.ts";
import { openBareCalls } from "../bare-tool-calls.ts";
import { startCoreOnBus } from "../core-on-bus.ts";
import { filler } from "../filler.ts";
import type { Floor } from "../floors/floor.ts";
import { STDIO_SERVER } from "../mcp-fixtures.ts";
import { ownCpu, throughput } from "../measure.ts";
import { scatteredKey } from "../scattered-key.ts";
import type { Scenario } from "../scenario.ts";
import { ServerProcess } from "../servers/server-process.ts";
import { bothBackbones, type Rig } from "./both-backbones.ts";

/** The module's tool is not repeatable, as by default, so its intent is stored too. */
const KINDS = [
  { kind: "MCP stdio", tool: "local__echo", records: 2 },
  { kind: "MCP HTTP", tool: "remote__echo", records: 2 },
  { kind: "HTTP tool", tool: "fetch_echo", records: 2 },
  { kind: "module", tool: "module_echo", records: 3 },
] as const;

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

const USAGE = { inputTokens: 1, outputTokens: 1 };
const ANSWER: StepResponse = { text: "Noted.", toolCalls: [], finish: "stop", usage: USAGE };

/** Calls the chosen tool, then answers. */
class CallingModel implements AgentModel {
  readonly label = "calling";
  tool: string | undefined;

  step: AgentModel["step"] = async ({ messages, tools }) => {
    // A summary of the session has no tools.
    if (this.tool === undefined || messages.at(-1)?.role === "tool" || tools.length === 0) return ANSWER;
    const toolCalls = [{ id: `call-${messages.length}`, name: this.tool, input: { text: "hello" } }];
    return { text: "", toolCalls, finish: "tool-calls", usage: USAGE };
  };
}

interface Product {
  readonly model: CallingModel;
  ask(session: number): Promise<void>;
  stop(): Promise<void>;
}

/** Core with all four tools. */
const startProduct = async ({ backbone }: Rig, service: string): Promise<Product> => {
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
  const settings = { tools: ToolsConfig.parse([http, file]), fetchUrl: FetchUrlConfig.parse({}) };
  const tools = await openTools(deps, "bench", settings);
  const toolSource = joinSources([tools, mcp.sourceOf({ tenant: "default", agent: "bench" }, servers)]);
  const rights = new Rights({ member: ["default", "tool:*"] });
  const model = new CallingModel();
  const core = await startCoreOnBus(backbone, { model, rights, toolSource });
  return {
    model,
    ask: (session) => core.ask(`room ${session}`, `account ${session}`),
    async stop() {
      await core.stop();
      await tools.close();
      await mcp.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

/** The records of a call in the journal, of the same size, around the call itself. */
const callOnFloor = async (floor: Floor, call: () => Promise<unknown>, key: string, records: number): Promise<void> => {
  await floor.put(`response-${key}`, filler.tool.response);
  if (records === 3) await floor.put(`intent-${key}`, filler.tool.intent);
  await call();
  await floor.put(`result-${key}`, filler.tool.result);
};

interface Used {
  readonly ms: number;
  readonly cpuMs: number;
}

/** Time and CPU of one piece of work. */
const usedBy = async (count: number, lanes: number, work: (lane: number) => Promise<unknown>): Promise<Used> => {
  const cpuBefore = ownCpu();
  const perSecond = await throughput(count, lanes, (n) => work(n % lanes));
  return { ms: 1_000 / perSecond, cpuMs: (ownCpu() - cpuBefore) / count };
};

/** Before that, the engine is still compiling. */
const WARM_UP = 1_500;
const SLICES = 6;

/** The time that a call adds to a turn, compared with the same call by the bare SDK and the same durable records. */
export const toolCalls: readonly Scenario[] = KINDS.map(({ kind, tool, records }) => ({
  name: `tool call: ${kind}`,
  aim: "≤ 1.3",
  async *prepare(quick) {
    const service = await ServerProcess.start("tools");
    const url = `http://127.0.0.1:${service.port}`;
    const bare = await openBareCalls(url);
    for await (const rig of bothBackbones()) {
      const product = await startProduct(rig, url);
      const turns = (calls: boolean, count: number, sessions: number) => {
        product.model.tool = calls ? tool : undefined;
        return usedBy(count, sessions, product.ask);
      };
      let serial = 0;
      const bareCalls = (count: number, sessions: number) =>
        usedBy(count, sessions, () => callOnFloor(rig.floor, bare[kind], scatteredKey(++serial), records));
      for (const calls of [true, false]) await turns(calls, WARM_UP, 20);
      await bareCalls(WARM_UP, 20);
      for (const sessions of [1, 20]) {
        const count = (quick ? 50 : 100) * (sessions === 1 ? 1 : 4);
        const cpu = { product: 0, floor: 0 };
        yield {
          name: `tool call: ${kind}, ${sessions} sessions (${rig.name})`,
          unit: "ms",
          slices: SLICES,
          product: async () => {
            const withCall = await turns(true, count, sessions);
            const without = await turns(false, count, sessions);
            cpu.product += withCall.cpuMs - without.cpuMs;
            return withCall.ms - without.ms;
          },
          floor: async () => {
            const { ms, cpuMs } = await bareCalls(count, sessions);
            cpu.floor += cpuMs;
            return ms;
          },
          cpu: async (side) => cpu[side],
        };
      }
      await product.stop();
    }
    await bare.close();
    await service.stop();
  },
}));
