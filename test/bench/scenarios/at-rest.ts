import { setTimeout as pause } from "node:timers/promises";
import type { Scenario } from "../scenario.ts";
import { eachBackbone } from "../servers/each-backbone.ts";
import type { ServerProcess } from "../servers/server-process.ts";

/** After a start the process still compiles and cleans up. */
const SETTLED_AFTER_MS = 5_000;
const REST_MS = 10_000;

const cpuAtRest = async (server: ServerProcess): Promise<number> => {
  const before = await server.ask("cpu");
  await pause(REST_MS);
  return (await server.ask("cpu")) - before;
};

/** The CPU time of a deployment without users, beside a bare server: 50 ms of 10 s are 0.5 % of a core. */
export const atRest: Scenario = {
  name: "CPU at rest",
  aim: "< 50 ms",
  long: true,
  async *prepare() {
    for await (const { on, start } of eachBackbone()) {
      const [product, floor] = [await start("mooring"), await start("floor")];
      await pause(SETTLED_AFTER_MS);
      yield {
        name: `CPU of ${REST_MS / 1_000} s at rest (${on})`,
        unit: "ms",
        steady: true,
        product: () => cpuAtRest(product),
        floor: () => cpuAtRest(floor),
      };
    }
  },
};
