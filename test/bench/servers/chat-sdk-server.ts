import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSlackAdapter } from "@chat-adapter/slack";
import { createMemoryState } from "@chat-adapter/state-memory";
import { createTelegramAdapter } from "@chat-adapter/telegram";
import { type Adapter, Chat, ConsoleLogger, type WebhookOptions } from "chat";
import { answerQuestions } from "./answer-questions.ts";
import { echoOf } from "./echo-text.ts";

/** An echo bot on the Chat SDK, as in its documentation: it acknowledges, then answers. Its state is in memory. */
const [platform, apiUrl = "", botToken = "", secret = ""] = process.argv.slice(2);
const quiet = new ConsoleLogger("silent");
const adapter =
  platform === "slack"
    ? createSlackAdapter({ apiUrl, botToken, signingSecret: secret, logger: quiet })
    : createTelegramAdapter({ apiUrl, botToken, secretToken: secret, mode: "webhook", logger: quiet });
const bot = new Chat({
  userName: "mooring",
  // Its types are not made for exactOptionalPropertyTypes.
  adapters: { it: adapter as Adapter },
  state: createMemoryState(),
  // By default it drops a message that comes before the handler of the last one has ended. This way has no lock at all.
  concurrency: "concurrent",
  logger: quiet,
});
bot.onDirectMessage(async (thread, message) => {
  await thread.post(echoOf(message.text));
});
await bot.initialize();
const webhook = bot.webhooks.it as (request: Request, options: WebhookOptions) => Promise<Response>;

const bytesOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};

const server = createServer(async (request, response) => {
  const url = `http://127.0.0.1${request.url}`;
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const asked = new Request(url, { method: "POST", headers, body: await bytesOf(request) });
  const answer = await webhook(asked, { waitUntil: () => undefined });
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
});
await once(server.listen(0, "127.0.0.1"), "listening");

answerQuestions((server.address() as AddressInfo).port, {}, async () => {
  server.close();
  server.closeAllConnections();
  await bot.shutdown();
});
