import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { answerQuestions, memoryInUse } from "./answer-questions.ts";
import { REPLY_TEXT } from "./reply-text.ts";

/** Raw sockets, without the product. */
const http = createServer();
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
await once(http.listen(0, "127.0.0.1"), "listening");

const frame = Buffer.from(JSON.stringify({ type: "reply", markdown: REPLY_TEXT }));
/** A request with a number is answered with this many frames. */
sockets.on("connection", (socket) =>
  socket.on("message", (data) => {
    const { resume = 0 } = JSON.parse(String(data)) as { resume?: number };
    for (let n = 0; n < resume; n++) socket.send(frame, { binary: false });
  }),
);
const reply = (): number => {
  for (const socket of sockets.clients) socket.send(frame, { binary: false });
  return 0;
};

answerQuestions((http.address() as AddressInfo).port, { reply, memory: memoryInUse }, async () => {
  for (const socket of sockets.clients) socket.terminate();
  http.close();
});
