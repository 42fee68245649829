import { once } from "node:events";
import { Client, GatewayIntentBits, Partials } from "discord.js";
import { answerQuestions } from "./answer-questions.ts";
import { echoOf } from "./echo-text.ts";
import { liftDiscordLimit } from "./lift-discord-limit.ts";

/** An echo bot on discord.js, as in its guide. It stores nothing. */
const [api = "", token = ""] = process.argv.slice(2);
liftDiscordLimit();
const client = new Client({
  intents: [GatewayIntentBits.DirectMessages, GatewayIntentBits.MessageContent],
  partials: [Partials.Channel],
  rest: { api },
});
client.on("messageCreate", async (message) => {
  if (message.author.bot || !message.channel.isSendable()) return;
  await message.channel.send(echoOf(message.content));
});
const ready = once(client, "clientReady");
await client.login(token);
await ready;

answerQuestions(0, {}, () => client.destroy());
