import { messageIn, startCoreOnBus } from "../core-on-bus.ts";
import { filler } from "../filler.ts";
import type { Floor } from "../floors/floor.ts";
import { loopTimes } from "../measure.ts";
import { scatteredKey } from "../scattered-key.ts";
import type { Scenario } from "../scenario.ts";
import { bothBackbones } from "./both-backbones.ts";

/** The floor makes the same four durable writes, of the same size and in the same order, without other work. */
const askFloor = async (floor: Floor, serial: number): Promise<void> => {
  const message = messageIn("room 0", "account 0", serial);
  const key = scatteredKey(serial);
  let reply: () => void = () => undefined;
  const replied = new Promise<void>((resolve) => {
    reply = resolve;
  });
  await floor.publish(message, async () => {
    await floor.put(`turn-${key}`, filler.bus.turn);
    await floor.put(`history-${key}`, filler.bus.history);
    await floor.publish({ reply: filler.bus.reply }, async () => reply());
  });
  await replied;
};

/** Warm-up: before that, the engine is still compiling. */
const WARM_UP = 3_000;
/** Messages of a quick round, by the number of sessions. */
const QUICK = { 1: 50, 100: 500, 1000: 1_000 };
const ONE_IN_SLICES = 4;

export const messageReply: Scenario = {
  name: "message → reply, instant model",
  aim: "≤ 1.5",
  async *prepare(quick) {
    for await (const { name, backbone, floor } of bothBackbones()) {
      const product = await startCoreOnBus(backbone);
      let serial = 0;
      const ask = (session: number) => product.ask(`room ${session}`, `account ${session}`);
      const askBare = () => askFloor(floor, ++serial);
      for (const side of [ask, askBare]) await loopTimes(WARM_UP, 100, side);
      for (const sessions of quick ? ([1, 100] as const) : ([1, 100, 1_000] as const)) {
        const count = quick ? QUICK[sessions] : 2 * QUICK[sessions];
        yield {
          name: `message → reply, ${sessions} sessions (${name})`,
          unit: "ms",
          ...(sessions === 1 && { slices: ONE_IN_SLICES }),
          product: () => loopTimes(count, sessions, ask),
          floor: () => loopTimes(count, sessions, askBare),
        };
      }
      await product.stop();
    }
  },
};
