import { loopTimes } from "../measure.ts";
import type { Scenario } from "../scenario.ts";
import { ServerProcess } from "../servers/server-process.ts";
import { openBareCalls } from "../tools/bare-calls.ts";
import { bareTurn } from "../tools/bare-turn.ts";
import { CallingModel } from "../tools/calling-model.ts";
import { KINDS } from "../tools/kinds.ts";
import { startProduct } from "../tools/product.ts";
import { bothBackbones } from "./both-backbones.ts";

/** Before that, the engine is still compiling. */
const WARM_UP = 800;
const SLICES = 6;

/** A turn with one call, from the message on the bus to the reply on the bus, beside the same turn by the bare SDKs. */
export const toolCalls: readonly Scenario[] = KINDS.map(({ kind, tool, records }) => ({
  name: `turn with a tool call: ${kind}`,
  aim: "≤ 1.3",
  async *prepare(quick) {
    const server = await ServerProcess.start("tools");
    const service = `http://127.0.0.1:${server.port}`;
    const bare = await openBareCalls(service);
    for await (const rig of bothBackbones()) {
      const model = new CallingModel(service);
      model.tool = tool;
      const product = await startProduct(rig, service, model);
      await loopTimes(WARM_UP, 20, product.ask);
      let serial = 0;
      const bareTimes = (count: number, sessions: number) => {
        const { first, second } = model.sent;
        if (first === undefined || second === undefined) throw new Error(`no turn called ${tool}`);
        const turn = bareTurn(rig.floor, { service, tool, records, first, second, call: bare[kind] });
        return loopTimes(count, sessions, () => turn(++serial));
      };
      await bareTimes(WARM_UP, 20);
      for (const sessions of [1, 20]) {
        const count = (quick ? 20 : 40) * (sessions === 1 ? 1 : 5);
        yield {
          name: `turn with a tool call: ${kind}, ${sessions} sessions (${rig.name})`,
          unit: "ms",
          slices: SLICES,
          product: () => loopTimes(count, sessions, product.ask),
          floor: () => bareTimes(count, sessions),
        };
      }
      await product.stop();
    }
    await bare.close();
    await server.stop();
  },
}));
