import { FakeDiscord } from "../../fakes/discord/fake-discord.ts";
import { MESSAGE_TEXT } from "../message-text.ts";
import { Answers, type Bot, PEOPLE, type Platform, startOn } from "./bot.ts";

type Started = Awaited<ReturnType<typeof startOn>>;

const bot = async (name: string, start: (discord: FakeDiscord) => Promise<Started>): Promise<Bot> => {
  const discord = await FakeDiscord.start();
  const { world, rest } = discord;
  rest.buckets.limit = 1_000_000;
  const rooms = Array.from({ length: PEOPLE }, (_, n) => world.privateChannel(world.person(`person${n}`)));
  const answers = new Answers();
  rest.faultIn = ({ method, path }) => {
    const [, room = ""] = /^\/channels\/(\d+)\/messages$/.exec(path) ?? [];
    if (method === "POST") answers.noteIn(room);
    return undefined;
  };
  const server = await start(discord);
  await discord.gateway.events.until((events) => events.includes("identified"));
  return {
    name,
    cpuMs: server.cpuMs,
    async ask(person) {
      const room = rooms[person];
      if (room === undefined) throw new Error(`there is no person ${person}`);
      const begun = performance.now();
      const answered = answers.in(room.id, begun);
      discord.say({ person: `person${person}`, in: room, text: MESSAGE_TEXT });
      return { answerMs: await answered };
    },
    tidy() {
      world.messages.length = 0;
      world.changes.items.length = 0;
      rest.calls.items.length = 0;
    },
    async stop() {
      await server.stop();
      await discord.stop();
    },
  };
};

const product = (backbone: "embedded" | "nats") => () =>
  bot(`Mooring, ${backbone}`, ({ token: botToken, apiUrl }) => {
    const channel = { adapter: "discord", botToken, apiUrl, access: { accounts: "*", messagesPerMinute: 1_000_000 } };
    return startOn(backbone, "mooring", `--channel=${JSON.stringify(channel)}`);
  });

export const discordBots: Platform = {
  name: "Discord",
  bots: [
    product("embedded"),
    product("nats"),
    () => bot("bare discord.js", ({ apiUrl, token }) => startOn("embedded", "discord-js", apiUrl, token)),
  ],
};
