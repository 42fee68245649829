import { FakeSlack } from "../../fakes/slack/fake-slack.ts";
import { slackEventBy } from "../slack-crowd.ts";
import { Answers, askByPost, type Bot, PEOPLE, type Platform, startOn } from "./bot.ts";

type Started = Awaited<ReturnType<typeof startOn>>;

const bot = async (name: string, path: string, start: (slack: FakeSlack) => Promise<Started>): Promise<Bot> => {
  const slack = await FakeSlack.start();
  const { world, signingSecret } = slack;
  for (let n = 0; n < PEOPLE; n++) world.addUser({ id: `U0${n}`, name: `person ${n}` });
  const answers = new Answers();
  slack.faultIn = (method, { channel = "" }) => {
    if (method === "chat.postMessage") answers.noteIn(channel);
    return undefined;
  };
  const server = await start(slack);
  const { ask, leave } = askByPost({
    url: `http://127.0.0.1:${server.port}${path}`,
    answers,
    messageBy: slackEventBy(world, signingSecret),
    roomOf: (person) => world.directRoomOf(`U0${person}`),
  });
  return {
    name,
    ask,
    cpuMs: server.cpuMs,
    tidy() {
      world.messages.length = 0;
      slack.calls.items.length = 0;
    },
    async stop() {
      leave();
      await server.stop();
      await slack.stop();
    },
  };
};

const product = (backbone: "embedded" | "nats") => () =>
  bot(`Mooring, ${backbone}`, "/channels/slack/events", ({ botToken, signingSecret, apiUrl }) => {
    const access = { messagesPerMinute: 1_000_000 };
    const channel = { adapter: "slack", botToken, signingSecret, apiUrl, access };
    return startOn(backbone, "mooring", `--channel=${JSON.stringify(channel)}`);
  });

export const slackBots: Platform = {
  name: "Slack",
  bots: [
    product("embedded"),
    product("nats"),
    () =>
      bot("Chat SDK, memory", "/", ({ apiUrl, botToken, signingSecret }) =>
        startOn("embedded", "chat-sdk", "slack", apiUrl, botToken, signingSecret),
      ),
    () =>
      bot("bare Bolt", "/slack/events", ({ apiUrl, botToken, signingSecret }) =>
        startOn("embedded", "bolt", apiUrl, botToken, signingSecret, "answering"),
      ),
  ],
};
