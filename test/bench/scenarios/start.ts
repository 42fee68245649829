import type { Scenario } from "../scenario.ts";
import { eachBackbone, type Ground } from "../servers/each-backbone.ts";

/** From the start of the process until it accepts connections; then it is stopped. */
const startUp = async ({ start }: Ground, name: "product" | "floor", ...args: string[]): Promise<number> => {
  const server = await start(name, ...args);
  await server.stop();
  return server.startedInMs;
};

/** Gateway and core on an empty backbone beside a bare server on the bare driver or client. */
export const start: Scenario = {
  name: "start to ready",
  aim: "< 2 s",
  async *prepare(quick) {
    for await (const ground of eachBackbone({ firstOnly: quick })) {
      yield {
        name: `start to ready (${ground.on})`,
        unit: "ms",
        // A new process every time, so the CPU time of this one does not count.
        cpu: async () => Number.NaN,
        product: () => startUp(ground, "product"),
        floor: () => startUp(ground, "floor"),
      };
    }
  },
};

/** An agent with 50 MCP servers of 20 tools each beside one without: no server starts before it is needed. */
export const startWithServers: Scenario = {
  name: "start to ready, 50 MCP servers",
  aim: "≤ 1.1",
  async *prepare() {
    for await (const ground of eachBackbone({ firstOnly: true })) {
      yield {
        name: `start to ready, 50 MCP servers beside none (${ground.on})`,
        unit: "ms",
        cpu: async () => Number.NaN,
        product: () => startUp(ground, "product", "--mcp-servers=50"),
        floor: () => startUp(ground, "product"),
      };
    }
  },
};
