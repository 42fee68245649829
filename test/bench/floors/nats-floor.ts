import { AckPolicy, type ConsumerMessages, connect } from "nats";
import type { Floor } from "./floor.ts";

/** The bare client: JetStream publish, a durable pull consumer, acknowledgements; a key-value bucket. */
export const natsFloor = async (server: string): Promise<Floor> => {
  const connection = await connect({ servers: server });
  const manager = await connection.jetstreamManager();
  const js = connection.jetstream();
  await manager.streams.add({ name: "FLOOR", subjects: ["floor.>"], duplicate_window: 120_000_000_000 });
  await manager.consumers.add("FLOOR", {
    durable_name: "floor",
    ack_policy: AckPolicy.Explicit,
    max_ack_pending: 20_000,
  });
  const bucket = await js.views.kv("floor_kv");
  const waiting = new Map<number, () => void>();
  const messages: ConsumerMessages = await (await js.consumers.get("FLOOR", "floor")).consume({ max_messages: 1_000 });
  const consuming = (async () => {
    for await (const message of messages) {
      const { n } = message.json<{ n: number }>();
      message.ack();
      waiting.get(n)?.();
      waiting.delete(n);
    }
  })();
  let serial = 0;
  return {
    async roundTrip() {
      const n = ++serial;
      const handled = new Promise<void>((resolve) => waiting.set(n, resolve));
      await js.publish("floor.a", JSON.stringify({ n, text: "hello" }), { msgID: `m${n}` });
      await handled;
    },
    put: async (key, value) => {
      await bucket.put(key, value);
    },
    async close() {
      await messages.close();
      await consuming;
      await connection.close();
    },
  };
};
