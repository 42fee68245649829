import type { Scenario } from "../scenario.ts";
import { ServerProcess } from "../servers/server-process.ts";

/** From the start of the process until it takes connections, then ended again. */
const startUp = async (name: "product" | "floor"): Promise<number> => {
  const begun = performance.now();
  const server = await ServerProcess.start(name);
  const took = performance.now() - begun;
  await server.stop();
  return took;
};

/** Gateway and core on an empty folder beside a bare front on the bare driver. */
export const start: Scenario = {
  name: "start to ready",
  aim: "< 2 s",
  async *prepare() {
    yield {
      name: "start to ready (embedded)",
      unit: "ms",
      // Another process every time: what this one uses tells nothing.
      cpu: async () => Number.NaN,
      product: () => startUp("product"),
      floor: () => startUp("floor"),
    };
  },
};
