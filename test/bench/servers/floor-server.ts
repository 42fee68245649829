import type { AddressInfo } from "node:net";
import websocket from "@fastify/websocket";
import { fastify } from "fastify";
import { filler } from "../filler.ts";
import { embeddedFloor } from "../floors/embedded-floor.ts";
import { natsFloor } from "../floors/nats-floor.ts";
import { scatteredKey } from "../scattered-key.ts";
import { answerQuestions } from "./answer-questions.ts";

/** A bare server on the bare driver: the same six durable writes per message, in the same order, without features. */
const [natsUrl] = process.argv.slice(2);
const floor = natsUrl ? await natsFloor(natsUrl) : await embeddedFloor();
const app = fastify({ logger: false });
await app.register(websocket, { options: { perMessageDeflate: false } });
let serial = 0;
const records = filler.socket;
app.get("/socket", { websocket: true }, (socket) => {
  const answer = async (text: string) => {
    const message = JSON.parse(text) as { id: string };
    const key = scatteredKey(++serial);
    const reply = { type: "reply", correlationId: message.id, markdown: "Noted.", more: records.reply };
    await floor.publish({ ...message, more: records.message }, async () => {
      await floor.put(`turn-${key}`, records.turn);
      await floor.put(`history-${key}`, records.history);
      await floor.publish(reply, async () => {
        await floor.put(`log-${key}-reply`, records.replyEntry);
        socket.send(JSON.stringify(reply));
      });
    });
    await floor.put(`log-${key}-said`, records.said);
    socket.send(JSON.stringify({ type: "accepted", id: message.id }));
  };
  socket.on("message", (data) => void answer(String(data)));
});
await app.listen({ host: "127.0.0.1", port: 0 });

answerQuestions((app.server.address() as AddressInfo).port, {}, async () => {
  await app.close();
  await floor.close();
});
