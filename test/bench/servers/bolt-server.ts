import type { AddressInfo } from "node:net";
import { App, LogLevel } from "@slack/bolt";
import { answerQuestions, memoryInUse } from "./answer-questions.ts";
import { echoOf } from "./echo-text.ts";

/** Bolt as in its documentation: it acknowledges, echoes if "answering" is given, and stores nothing. */
const [slackApiUrl = "", token = "", signingSecret = "", answering] = process.argv.slice(2);
const app = new App({ token, signingSecret, clientOptions: { slackApiUrl }, logLevel: LogLevel.ERROR });
app.message(async ({ message, say }) => {
  if (answering) await say(echoOf("text" in message ? (message.text ?? "") : ""));
});
const server = await app.start(0);

answerQuestions((server.address() as AddressInfo).port, { memory: memoryInUse }, async () => {
  await app.stop();
});
