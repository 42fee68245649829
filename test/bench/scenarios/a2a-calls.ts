import { A2aCaller } from "../a2a-caller.ts";
import type { Scenario } from "../scenario.ts";
import { eachBackbone } from "../servers/each-backbone.ts";

const IN_FLIGHT = 32;
/** The first round is a warm-up: with fewer calls both sides would still be compiled during the measurement. */
const CALLS = 2_000;

/** Blocking SendMessage: our server beside the SDK's own in Fastify, with as many durable writes. */
export const a2aCalls: Scenario = {
  name: "A2A calls",
  aim: "≥ 0.7",
  async *prepare(quick) {
    for await (const { on, start } of eachBackbone({ firstOnly: quick })) {
      const [product, floor] = [await start("a2a"), await start("a2a-sdk")];
      const onProduct = new A2aCaller(product.port);
      const onFloor = new A2aCaller(floor.port);
      yield {
        name: `A2A calls, ${IN_FLIGHT} at once (${on})`,
        unit: "per second",
        cpu: (side) => (side === "product" ? product : floor).ask("cpu"),
        product: () => onProduct.perSecond(CALLS, IN_FLIGHT),
        floor: () => onFloor.perSecond(CALLS, IN_FLIGHT),
      };
      onProduct.leave();
      onFloor.leave();
    }
  },
};
