import { A2aCaller } from "../a2a-caller.ts";
import type { Scenario } from "../scenario.ts";
import { ServerProcess } from "../servers/server-process.ts";

const IN_FLIGHT = 32;

/** SendMessage, waited for: our server beside the SDK's own in Fastify, with as many durable writes. */
export const a2aCalls: Scenario = {
  name: "A2A calls",
  aim: "≥ 0.7",
  async *prepare(quick) {
    const product = await ServerProcess.start("a2a");
    const floor = await ServerProcess.start("a2a-sdk");
    const ours = new A2aCaller(product.port);
    const theirs = new A2aCaller(floor.port);
    // A round warms up what the others measure: with fewer calls both sides still wait for their compiler.
    const count = quick ? 2_000 : 5_000;
    yield {
      name: `A2A calls, ${IN_FLIGHT} at once`,
      unit: "per second",
      cpu: (side) => (side === "product" ? product : floor).ask("cpu"),
      product: () => ours.perSecond(count, IN_FLIGHT),
      floor: () => theirs.perSecond(count, IN_FLIGHT),
    };
    ours.leave();
    theirs.leave();
    await Promise.all([product.stop(), floor.stop()]);
  },
};
