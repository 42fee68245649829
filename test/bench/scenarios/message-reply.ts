import type { Backbone } from "../../../core/contract/backbone.ts";
import { ack } from "../../../core/contract/bus.ts";
import { systemClock } from "../../../core/contract/clock.ts";
import { conversationKey } from "../../../core/contract/conversation.ts";
import { silentLogger } from "../../../core/contract/logger.ts";
import { silentMeter } from "../../../core/contract/meter.ts";
import { subjectsOf } from "../../../core/contract/subjects.ts";
import type { UserMessage } from "../../../core/contract/user-message.ts";
import { startCore } from "../../../core/start-core.ts";
import { filler } from "../filler.ts";
import type { Floor } from "../floors/floor.ts";
import { instantModel } from "../instant-model.ts";
import { loopLatency } from "../measure.ts";
import { scatteredKey } from "../scattered-key.ts";
import type { Scenario } from "../scenario.ts";
import { bothBackbones } from "./both-backbones.ts";

const messageIn = (session: number, n: number): UserMessage => ({
  id: `bench:${session}:${n}`,
  tenant: "default",
  agent: "bench",
  conversation: { channel: "bench", room: `room ${session}`, kind: "private" },
  account: { id: `account ${session}`, name: "Somebody" },
  text: "Please note this down.",
  attachments: [],
  sentAt: new Date().toISOString(),
  traceId: `trace ${n}`,
});

/** A message on the bus, its turn, its reply on the bus: the core of the product, without any channel. */
const startProduct = async (backbone: Backbone) => {
  const subjects = subjectsOf("default");
  const waiting = new Map<string, () => void>();
  const core = await startCore({
    backbone,
    agents: [{ name: "bench", tenant: "default", model: instantModel }],
    clock: systemClock,
    logger: silentLogger,
    meter: silentMeter,
  });
  const replies = { durable: "bench-relay", concurrency: 1_000, from: "now" } as const;
  const relay = await backbone.bus.consume(subjects.userResponse("bench"), replies, async ({ correlationId = "" }) => {
    waiting.get(correlationId)?.();
    waiting.delete(correlationId);
    return ack;
  });
  let serial = 0;
  return {
    async ask(session: number): Promise<void> {
      const message = messageIn(session, ++serial);
      const replied = new Promise<void>((resolve) => waiting.set(message.id, resolve));
      const options = { id: message.id, key: conversationKey(message.conversation) };
      await backbone.bus.publish(subjects.userMessage("bench"), message, options);
      await replied;
    },
    async stop(): Promise<void> {
      await relay.close();
      await core.stop();
    },
  };
};

/** The same four durable writes, as large and in the same order, with nothing in between. */
const askFloor = async (floor: Floor, serial: number): Promise<void> => {
  const message = messageIn(0, serial);
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

/** A process that has run for a while: before that, most of what is measured is the engine reading the code. */
const WARM_UP = 3_000;
/** Messages of a quick round, by sessions. */
const QUICK = { 1: 50, 100: 500, 1000: 1_000 };
const ONE_IN_SLICES = 4;

export const messageReply: Scenario = {
  name: "message → reply, instant model",
  aim: "≤ 1.5",
  async *prepare(quick) {
    for await (const { name, backbone, floor } of bothBackbones()) {
      const product = await startProduct(backbone);
      let serial = 0;
      const ask = (session: number) => product.ask(session);
      const askBare = () => askFloor(floor, ++serial);
      for (const side of [ask, askBare]) await loopLatency(WARM_UP, 100, side);
      for (const sessions of [1, 100, 1_000] as const) {
        const count = quick ? QUICK[sessions] : 10 * QUICK[sessions];
        yield {
          name: `message → reply, ${sessions} sessions (${name})`,
          unit: "ms",
          ...(sessions === 1 && { slices: ONE_IN_SLICES }),
          product: () => loopLatency(count, sessions, ask),
          floor: () => loopLatency(count, sessions, askBare),
        };
      }
      await product.stop();
    }
  },
};
