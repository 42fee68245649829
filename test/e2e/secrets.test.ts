import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { FakeDiscord } from "../fakes/discord/fake-discord.ts";
import { calls, fails, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { OtlpReceiver, type ReceivedSpan } from "../fakes/otlp/otlp-receiver.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { asJson } from "../fakes/slack/event-posts.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { FakeTeams } from "../fakes/teams/fake-teams.ts";
import { FakeTelegram } from "../fakes/telegram/fake-telegram.ts";
import { WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { type MooringProcess, requireFreshBuild } from "./mooring-process.ts";
import { PlantedSecrets } from "./planted-secrets.ts";

const secrets = new PlantedSecrets();
const env = {
  SLACK_BOT_TOKEN: secrets.plant("slack.botToken", "xoxb-"),
  SLACK_APP_TOKEN: secrets.plant("slack.appToken", "xapp-1-"),
  DISCORD_TOKEN: secrets.plant("discord.botToken"),
  TELEGRAM_TOKEN: secrets.plant("telegram.botToken", "7000000001:"),
  TELEGRAM_SECRET: secrets.plant("telegram.webhookSecret"),
  MODEL_KEY: secrets.plant("model.apiKey"),
  ADMIN_TOKEN: secrets.plant("admin.token"),
  ORG_TOKEN: secrets.plant("admin.org token"),
  CALLER_TOKEN: secrets.plant("a2a.caller token"),
  CALLER_KEY: secrets.plant("a2a.caller key"),
  PEER_TOKEN: secrets.plant("a2a.peer token"),
  SIGNING_KEY: secrets.plant("web.signingKey"),
  IDENTITY_KEY: secrets.plant("web.identityKey"),
  COLLECTOR_KEY: secrets.plant("telemetry header"),
};
/** The reference in the configuration. */
const from = (name: keyof typeof env) => `\${${name}}`;
const COLLECTOR_HEADER = "x-collector-key";
const wrongToken = secrets.plant("a wrong token");
const pushSecret = secrets.plant("a caller's webhook token");
/** Message text is a secret in logs and traces, not where it is shown. */
const words = new PlantedSecrets();
const QUESTION = words.plant("what people say");
const ANSWER = words.plant("what the agent says");

let slack: FakeSlack;
let discord: FakeDiscord;
let teams: FakeTeams;
let telegram: FakeTelegram;
let model: ScriptedModelServer;
let collector: OtlpReceiver;
let echo: Server;
let deployment: Deployment;
let mooring: MooringProcess;
let address: string;

/** Repeats the key in its error, as some providers do. */
const answer = ({ lastUserText, toolOutputs }: ModelRequest): ModelAnswer => {
  if (lastUserText.includes("break"))
    return fails(401, { error: { message: `Incorrect API key provided: ${env.MODEL_KEY}` } });
  if (lastUserText.includes("ask the peer") && toolOutputs.length === 0) {
    return calls([
      { name: "send_message_to_agent", arguments: { agent: "elsewhere", message: QUESTION, msg_type: "consult" } },
    ]);
  }
  return says(ANSWER);
};

beforeAll(async () => {
  await requireFreshBuild();
  [slack, discord, teams, telegram, model, collector] = await Promise.all([
    FakeSlack.start(),
    FakeDiscord.start(),
    FakeTeams.start(),
    FakeTelegram.start(),
    ScriptedModelServer.start(answer),
    OtlpReceiver.start(),
  ]);
  slack.botToken = env.SLACK_BOT_TOKEN;
  slack.appToken = env.SLACK_APP_TOKEN;
  discord.token = env.DISCORD_TOKEN;
  telegram.token = env.TELEGRAM_TOKEN;
  // A peer that refuses and echoes the request.
  echo = createServer((request, response) => response.writeHead(401).end(JSON.stringify(request.headers)));
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  secrets.note("teams.appPassword", teams.signIn.appPassword);
  secrets.note("slack.signingSecret", slack.signingSecret);
  const { apiUrl } = slack;
  const slackConfig = { adapter: "slack", botToken: from("SLACK_BOT_TOKEN"), apiUrl };
  deployment = await Deployment.create(
    plainConfig({
      logLevel: "debug",
      telemetry: { otlp: { url: collector.url, headers: { [COLLECTOR_HEADER]: from("COLLECTOR_KEY") } } },
      admin: {
        tokens: [
          { token: from("ADMIN_TOKEN"), role: "platform_admin" },
          { token: from("ORG_TOKEN"), role: "org_admin", tenant: "default" },
        ],
      },
      a2a: {
        callers: { alice: { token: from("CALLER_TOKEN") }, bob: { apiKey: from("CALLER_KEY") } },
        peers: {
          elsewhere: { url: `http://127.0.0.1:${(echo.address() as AddressInfo).port}`, token: from("PEER_TOKEN") },
        },
        pushAllow: ["127.0.0.0/8"],
      },
      agents: [
        {
          name: "mooring",
          peers: ["elsewhere"],
          rights: { anonymous: ["default", "peers", "schedule"] },
          model: {
            provider: "openai-compatible",
            baseUrl: model.baseUrl,
            model: "scripted",
            apiKey: from("MODEL_KEY"),
          },
        },
      ],
      channels: {
        web: { adapter: "web", signingKey: from("SIGNING_KEY"), identityKey: from("IDENTITY_KEY") },
        slack: { ...slackConfig, signingSecret: slack.signingSecret },
        socket: { ...slackConfig, appToken: from("SLACK_APP_TOKEN") },
        discord: {
          adapter: "discord",
          botToken: from("DISCORD_TOKEN"),
          apiUrl: discord.apiUrl,
          access: { guilds: "*", accounts: "*" },
        },
        teams: teams.config,
        telegram: {
          adapter: "telegram",
          botToken: from("TELEGRAM_TOKEN"),
          apiUrl: telegram.apiUrl,
          access: { accounts: "*" },
        },
        // Nothing listens there: the token is in the address of each failed call.
        telegramless: {
          adapter: "telegram",
          botToken: from("TELEGRAM_TOKEN"),
          apiUrl: "http://127.0.0.1:9",
          mode: "webhook",
          webhookSecret: from("TELEGRAM_SECRET"),
          access: { accounts: "*" },
        },
      },
    }),
  );
  mooring = deployment.run("start", [], { env });
  address = await mooring.running;
});
afterAll(async () => {
  await deployment?.dispose();
  await Promise.all([slack, discord, teams, telegram, model, collector].map((each) => each?.stop()));
  echo?.closeAllConnections();
  echo?.close();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Records every response as an output. */
const call = async (path: string, init: RequestInit = {}): Promise<number> => {
  const response = await fetch(`${address}${path}`, init);
  const headers = JSON.stringify([...response.headers]);
  secrets.seen(`${init.method ?? "GET"} ${path}`, `${response.status} ${headers} ${await response.text()}`);
  return response.status;
};

const post = (path: string, body: unknown, headers: Record<string, string>) =>
  call(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const speakEverywhere = async (): Promise<void> => {
  const ann = deployment.with(new WebClient("ann", () => address));
  for (const text of ["hello", "break", "ask the peer"]) {
    const answered = JSON.stringify(await ann.answerTo(ann.say(`${text} ${QUESTION}`)));
    secrets.seen("the web's answer", answered);
    expect(answered.includes(ANSWER)).toBe(text !== "break");
  }
  slack.sendEventsTo(`${address}/channels/slack/events`);
  await slack.say({ text: `hello ${QUESTION}` });
  await slack.say({ text: `break ${QUESTION}`, user: "U0BOB" });
  await slack.until((posted) => posted.length >= 2);
  teams.endpoint = `${address}/channels/teams/messages`;
  await teams.say({ text: `hello ${QUESTION}` });
  await teams.api.posts.count(1);
  const inPrivate = discord.world.privateChannel(discord.world.person("ann"));
  discord.say({ person: "ann", in: inPrivate, text: `hello ${QUESTION}` });
  await discord.untilPosted(1);
  const chat = telegram.world.privateChat("ann");
  await telegram.say({ person: "ann", in: chat, text: `hello ${QUESTION}` });
  await telegram.untilPosted(1);
  telegram.faultIn = ({ method }) => (method === "sendMessage" ? "answer-lost" : undefined);
  await telegram.say({ person: "ann", in: chat, text: `hello ${QUESTION}` });
  await telegram.untilPosted(2);
  telegram.recover();
  secrets.seen("what platforms were posted", JSON.stringify([slack.posted, discord.posted, telegram.posted]));
};

const comeWithWrongTokens = async (): Promise<void> => {
  const forged = { ...asJson({ type: "event_callback" }), secret: wrongToken };
  await slack.post(forged);
  await teams.send({}, { authorization: bearer(wrongToken).authorization });
  expect(await call("/admin/api/me", { headers: bearer(wrongToken) })).toBe(401);
  expect(await call(`/admin/api/me?token=${wrongToken}`)).toBe(401);
  expect(await post("/a2a/mooring", {}, bearer(wrongToken))).toBe(401);
  expect(
    await post("/a2a-events/default/mooring/call-0123456789ab", {}, { "x-a2a-notification-token": wrongToken }),
  ).toBe(401);
  expect(await call("/channels/web/files?id=f-1", { headers: bearer(wrongToken) })).toBe(401);
  const update = { "x-telegram-bot-api-secret-token": wrongToken };
  expect(await post("/channels/telegramless/updates", {}, update)).toBe(401);
  await call(`/${wrongToken}`);
  const socket = new WebSocket(`${address.replace("http", "ws")}/channels/web/socket`, "mooring.v1", {
    origin: address,
  });
  const said = new Promise<string>((resolve) => socket.once("message", (data) => resolve(String(data))));
  socket.once("open", () => socket.send(JSON.stringify({ type: "hello", token: wrongToken })));
  secrets.seen("the socket's refusal", await said);
  socket.terminate();
};

const callAsAgent = async (): Promise<void> => {
  const message = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: `hello ${QUESTION}` }] };
  const url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/hook`;
  const configuration = { taskPushNotificationConfig: { url, token: pushSecret } };
  const rpc = { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message, configuration } };
  expect(await post("/a2a/mooring", rpc, { ...bearer(env.CALLER_TOKEN), "a2a-version": "1.0" })).toBe(200);
  await call("/a2a/mooring/tasks", { headers: { "x-api-key": env.CALLER_KEY, "a2a-version": "1.0" } });
  await call("/.well-known/agent-card.json");
};

const lookAtEverything = async (): Promise<void> => {
  const routes = [
    "me",
    "channels",
    "sessions",
    "subtasks?status=all",
    "schedules",
    "dead-letters",
    "people",
    "use",
    "use/totals",
    "budgets",
    "audit",
    "tenants",
  ];
  for (const token of [env.ADMIN_TOKEN, env.ORG_TOKEN]) {
    for (const route of routes) expect(await call(`/admin/api/${route}`, { headers: bearer(token) })).toBe(200);
  }
  await post("/admin/api/channels/slack/test", {}, bearer(env.ADMIN_TOKEN));
  await call("/admin/api/traces/ann-1?agent=mooring", { headers: bearer(env.ADMIN_TOKEN) });
  for (const path of ["/", "/health/live", "/health/ready", "/metrics", "/channels/web/widget.js"]) await call(path);
};

const TRACED = [
  "send web",
  "send slack",
  "send teams",
  "send discord",
  "send telegram",
  "execute_tool send_message_to_agent",
];
const hasAll = (spans: readonly ReceivedSpan[]): boolean =>
  TRACED.every((name) => spans.some((span) => span.name === name)) && spans.some(({ isError }) => isError);

/** The collector first accepts the spans, then fails. */
const sendTraces = async (): Promise<void> => {
  await collector.spans.until(hasAll);
  expect(collector.requests.items[0]).toMatchObject({ [COLLECTOR_HEADER]: env.COLLECTOR_KEY });
  collector.manner = { status: 401 };
  const bob = deployment.with(new WebClient("bob", () => address));
  await bob.answerTo(bob.say(`hello ${QUESTION}`));
};

/** A configuration with a mistake beside every secret. */
const startWithMistakes = async (): Promise<void> => {
  const broken = await Deployment.create({
    admin: { tokens: [{ token: env.ADMIN_TOKEN, role: "king" }] },
    agents: [{ name: "mooring", model: { provider: env.MODEL_KEY, apiKey: { wrong: env.MODEL_KEY } } }],
    channels: { slack: { adapter: "slack", botToken: env.DISCORD_TOKEN, signingSecret: [env.SLACK_BOT_TOKEN] } },
  });
  try {
    const refused = broken.run("start", [], { env });
    await refused.exited;
    secrets.seen("a refused start", refused.stdout() + refused.stderr());
    expect(refused.stderr() + refused.stdout()).toContain("problems");
  } finally {
    await broken.dispose();
  }
};

describe("given a secret in every setting that takes one", () => {
  it("when every feature is used, fails and is inspected, then no output contains a secret (F24)", async () => {
    await speakEverywhere();
    await comeWithWrongTokens();
    await callAsAgent();
    await lookAtEverything();
    await sendTraces();
    await startWithMistakes();
    mooring.kill("SIGTERM");
    await mooring.exited;
    for (const search of [secrets, words]) {
      search.seen("stdout", mooring.stdout());
      search.seen("stderr", mooring.stderr());
      search.seen("traces", collector.text);
    }
    expect(mooring.stdout() + mooring.stderr()).toContain("could not export traces");
    await secrets.seenInFolder(`${deployment.folder}/data`);
    expect(secrets.outputs).toBeGreaterThan(40);
    expect(secrets.found()).toEqual([]);
    expect(words.found()).toEqual([]);
  });
});
