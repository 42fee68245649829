import type { AddressInfo } from "node:net";
import { App, LogLevel } from "@slack/bolt";
import { answerQuestions, memoryInUse } from "./answer-questions.ts";

/** Bolt as its documents show it, with a listener that does nothing: it acknowledges and forgets. */
const [slackApiUrl = "", token = "", signingSecret = ""] = process.argv.slice(2);
const app = new App({ token, signingSecret, clientOptions: { slackApiUrl }, logLevel: LogLevel.ERROR });
app.message(async () => undefined);
const server = await app.start(0);

answerQuestions((server.address() as AddressInfo).port, { memory: memoryInUse }, async () => {
  await app.stop();
});
