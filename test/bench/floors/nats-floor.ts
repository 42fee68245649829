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
  const handlers = new Map<number, () => Promise<void>>();
  const messages: ConsumerMessages = await (await js.consumers.get("FLOOR", "floor")).consume({ max_messages: 1_000 });
  const consuming = (async () => {
    for await (const message of messages) {
      const { n } = message.json<{ n: number }>();
      void handlers
        .get(n)?.()
        .then(() => message.ack());
      handlers.delete(n);
    }
  })();
  let serial = 0;
  return {
    async publish(body, handle) {
      const n = ++serial;
      handlers.set(n, handle);
      await js.publish("floor.a", JSON.stringify({ ...body, n }), { msgID: `m${n}` });
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
