import { openClients, SocketClient, type SocketEndpoint } from "../socket-client.ts";
import { type Bot, PEOPLE, type Platform, startOn } from "./bot.ts";

const MANY = 1_000_000;
const channel = {
  adapter: "web",
  access: { messagesPerMinute: MANY },
  limits: {
    messagesPerSecond: MANY,
    messageBurst: MANY,
    messagesPerSecondOfAddress: MANY,
    messageBurstOfAddress: MANY,
    framesPerSecond: MANY,
    frameBurst: MANY,
    connectionsPerAddress: MANY,
  },
};

const bot = async (
  name: string,
  speaks: SocketEndpoint["speaks"],
  start: () => ReturnType<typeof startOn>,
): Promise<Bot> => {
  const server = await start();
  const clients = await openClients(PEOPLE, () => SocketClient.open({ port: server.port, speaks }));
  return {
    name,
    cpuMs: server.cpuMs,
    async ask(person) {
      const begun = performance.now();
      await clients[person]?.ask();
      return { answerMs: performance.now() - begun };
    },
    tidy: () => undefined,
    async stop() {
      for (const client of clients) client.close();
      await server.stop();
    },
  };
};

const product = (backbone: "embedded" | "nats") => () =>
  bot(`Mooring, ${backbone}`, "mooring.v1", () => startOn(backbone, "mooring", `--channel=${JSON.stringify(channel)}`));

export const socketBots: Platform = {
  name: "socket",
  bots: [
    product("embedded"),
    product("nats"),
    () => bot("bare server, same writes, embedded", "nothing", () => startOn("embedded", "floor")),
    () => bot("bare server, same writes, nats", "nothing", () => startOn("nats", "floor")),
  ],
};
