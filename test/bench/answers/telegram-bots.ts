import { FakeTelegram } from "../../fakes/telegram/fake-telegram.ts";
import { MESSAGE_TEXT } from "../message-text.ts";
import { Answers, askByPost, type Bot, PEOPLE, type Platform, startOn } from "./bot.ts";

type Started = Awaited<ReturnType<typeof startOn>>;

const SECRET = "bench-webhook-secret";

const bot = async (name: string, path: string, start: (telegram: FakeTelegram) => Promise<Started>): Promise<Bot> => {
  const telegram = await FakeTelegram.start();
  const { world } = telegram;
  const chats = Array.from({ length: PEOPLE }, (_, n) => world.privateChat(`person${n}`));
  const answers = new Answers();
  telegram.faultIn = ({ method, body }) => {
    if (method === "sendMessage") answers.noteIn(String(body.chat_id));
    return undefined;
  };
  const server = await start(telegram);
  const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": SECRET };
  const { ask, leave } = askByPost({
    url: `http://127.0.0.1:${server.port}${path}`,
    answers,
    messageBy(person) {
      const chat = chats[person] ?? world.group;
      const [update] = telegram.write({ person: `person${person}`, in: chat, text: MESSAGE_TEXT });
      return { headers, body: JSON.stringify(update) };
    },
    roomOf: (person) => String(chats[person]?.id),
  });
  return {
    name,
    ask,
    cpuMs: server.cpuMs,
    tidy() {
      world.messages.length = 0;
      world.changes.items.length = 0;
      telegram.calls.items.length = 0;
    },
    async stop() {
      leave();
      await server.stop();
      await telegram.stop();
    },
  };
};

const product = (backbone: "embedded" | "nats") => () =>
  bot(`Mooring, ${backbone}`, "/channels/telegram/updates", ({ token: botToken, apiUrl }) => {
    const access = { accounts: "*", messagesPerMinute: 1_000_000 };
    const channel = { adapter: "telegram", botToken, apiUrl, mode: "webhook", webhookSecret: SECRET, access };
    return startOn(backbone, "mooring", `--channel=${JSON.stringify(channel)}`);
  });

export const telegramBots: Platform = {
  name: "Telegram",
  bots: [
    product("embedded"),
    product("nats"),
    () =>
      bot("Chat SDK, memory", "/", ({ apiUrl, token }) =>
        startOn("embedded", "chat-sdk", "telegram", apiUrl, token, SECRET),
      ),
  ],
};
