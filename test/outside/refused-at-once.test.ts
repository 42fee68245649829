import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { MAIN, requireFreshBuild } from "../e2e/mooring-process.ts";
import { FakeDiscord } from "../fakes/discord/fake-discord.ts";
import { NatsCluster } from "../fakes/nats-cluster.ts";
import type { NatsServer } from "../fakes/nats-server.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { FakeTeams } from "../fakes/teams/fake-teams.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { Product, type StartedProcess } from "./product.ts";

beforeAll(requireFreshBuild);

const TOKEN = "tR7wq0Zk-41xVb8Lm2cYdN6sHf3uJe9P";
/** The duration of the quickest of five, because the machine is shared. A write times out after 10 s. */
const AT_ONCE_MS = 100;
const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const owned = <T extends { stop(): Promise<unknown> }>(each: T): T => {
  undo.push(() => each.stop());
  return each;
};

const create = async (config: object = {}): Promise<Product> => {
  const product = await Product.create({ backbone: "nats", config });
  undo.push(() => product.dispose());
  return product;
};

const quickest = async (attempt: () => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let n = 0; n < 5; n++) {
    const begun = performance.now();
    await attempt();
    times.push(performance.now() - begun);
  }
  return Math.min(...times);
};

const untilReported = (client: WebClient, available: boolean): Promise<void> =>
  client.until(() => client.storage.at(-1) === available, `storage ${available}`);

/** Sends another message, and resolves once the gateway has refused the first one in the client's queue. */
const refused = async (client: WebClient, asked: string[]): Promise<void> => {
  const { length } = client.errors;
  asked.push(client.say(`what is ${asked.length} + 1?`));
  await client.until(() => client.errors.length > length, "a refusal");
};

/** Whether the answers are in the order of the messages, each once. */
const expectAnswered = async (client: WebClient, ids: readonly string[]): Promise<void> => {
  for (const id of ids) await client.answerTo(id);
  const answers = client
    .replies()
    .flatMap(({ correlationId = "" }) => (ids.includes(correlationId) ? correlationId : []));
  expect(answers).toEqual(ids);
};

const post = (address: string, path: string, body: object) =>
  fetch(`${address}/a2a/mooring${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify(body),
  });
const a2aMessage = (messageId: string) => ({
  message: { messageId, role: "ROLE_USER", parts: [{ text: "what is 6 * 7?" }] },
});

/** Pipes lines into `mooring chat`, as a script does. */
const chat = (product: Product, address: string, lines: string) => {
  const env = { PATH: process.env.PATH, HOME: product.folder };
  const args = [MAIN, "chat", "--url", address, "--channel", "web", "--wait", "60"];
  const child = spawn(process.execPath, args, { cwd: product.folder, env });
  undo.push(async () => child.kill("SIGKILL"));
  child.stdin.end(lines);
  let shown = "";
  // Remarks about the conversation are on standard error, answers on standard output.
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      shown += data;
    });
  }
  const ended = once(child, "close");
  return { shown: () => shown, ended: async () => (await ended)[0] };
};

describe("given every channel, on a NATS server that is suspended (F35)", () => {
  const start = async (): Promise<[Product, StartedProcess, NatsServer, FakeSlack, FakeDiscord, FakeTeams]> => {
    const slack = owned(await FakeSlack.start());
    const discord = owned(await FakeDiscord.start());
    const teams = owned(await FakeTeams.start());
    const { botToken, apiUrl, signingSecret } = slack;
    const product = await create({
      a2a: { callers: { crm: { token: TOKEN } } },
      channels: {
        web: { adapter: "web" },
        slack: { adapter: "slack", botToken, apiUrl, signingSecret },
        discord: { adapter: "discord", botToken: discord.token, apiUrl: discord.apiUrl, access: { guilds: "*" } },
        teams: teams.config,
      },
    });
    const mooring = await product.start("start");
    await mooring.ready();
    slack.sendEventsTo(`${mooring.address}/channels/slack/events`);
    teams.endpoint = `${mooring.address}/channels/teams/messages`;
    await discord.gateway.events.until((events) => events.includes("identified"));
    return [product, mooring, product.nats as NatsServer, slack, discord, teams];
  };

  it("when messages arrive, then each channel refuses at once; when it resumes, then stored messages are answered once", async () => {
    const [product, mooring, nats, slack, discord, teams] = await start();
    const ann = product.client("ann", mooring.address);
    await ann.answerTo(ann.say("hello"));
    nats.freeze();
    await untilReported(ann, false);

    const asked: string[] = [];
    expect(await quickest(() => refused(ann, asked))).toBeLessThan(AT_ONCE_MS);
    expect(ann.errors.at(-1)).toMatchObject({ code: "unavailable", id: asked[0] });
    const late = product.client("bob", mooring.address);
    const scripted = chat(product, mooring.address, "what is 2 * 3?\nwhat is 3 * 3?\nwhat is 4 * 3?\n");

    const event = { ts: slack.world.nextTs(), text: "what is 5 + 5?" };
    expect(await quickest(() => slack.say(event))).toBeLessThan(AT_ONCE_MS);
    expect(await slack.say(event)).toMatchObject({ answer: "refused" });
    expect((await slack.command({ text: "help" })).body).toContain("try again");
    const activity = { id: "activity-1", text: "what is 6 + 5?" };
    expect(await quickest(() => teams.say(activity))).toBeLessThan(AT_ONCE_MS);
    expect(await teams.say(activity)).toBe(503);
    expect(await quickest(() => post(mooring.address, "/message:send", a2aMessage("a-1")))).toBeLessThan(AT_ONCE_MS);
    const rest = await post(mooring.address, "/message:send", a2aMessage("a-1"));
    expect([rest.status, rest.headers.get("retry-after"), await rest.text()]).toEqual([
      503,
      "5",
      expect.stringContaining("send it again"),
    ]);
    const rpc = { jsonrpc: "2.0", id: 1, method: "SendMessage", params: a2aMessage("a-1") };
    const answer = await post(mooring.address, "", rpc);
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("send it again")]);
    const room = discord.world.privateChannel(discord.world.person("ann"));
    discord.say({ person: "ann", in: room, text: "what is 7 + 5?" });
    await expect.poll(scripted.shown, { timeout: 30_000 }).toContain("wait to be sent");
    nats.resume();
    await untilReported(ann, true);
    expect(await slack.say(event)).toMatchObject({ answer: "acknowledged" });
    expect(await teams.say(activity)).toBe(200);
    await expectAnswered(ann, asked);
    await expectAnswered(late, [late.say("what is 8 + 5?")]);
    expect([await scripted.ended(), scripted.shown().match(/= \d+/g)]).toEqual([0, ["= 6", "= 9", "= 12"]]);
    await slack.until((posted) => posted.some((message) => JSON.stringify(message).includes("10")));
    await teams.api.posts.until((posts) => posts.some((each) => JSON.stringify(each.activity).includes("11")));
    await discord.world.changes.until(() => discord.posted.some(({ content }) => content.includes("12")));
    const logged = (message: string) => mooring.stderr().split(message).length - 1;
    expect([logged("refusing messages"), logged("accepting messages again")]).toEqual([1, 1]);
  });
});

describe("given visitors on a cluster of three with replicas 3 (F35)", () => {
  it("when two nodes are down, then messages are refused at once; when they are back, then all are answered in order", async () => {
    const cluster = owned(await NatsCluster.start());
    const product = await create();
    const nats = { servers: cluster.urls, leaseMs: 1_000, partitions: 4, replicas: 3 };
    const mooring = await product.start("start", { backbone: { nats } });
    await mooring.ready();
    const ann = product.client("ann", mooring.address);
    await ann.answerTo(ann.say("hello"));
    await Promise.all([cluster.kill(0), cluster.kill(1)]);
    await untilReported(ann, false);
    const asked: string[] = [];
    expect(await quickest(() => refused(ann, asked))).toBeLessThan(AT_ONCE_MS);
    await Promise.all([cluster.restart(0), cluster.restart(1)]);
    await untilReported(ann, true);
    await expectAnswered(ann, asked);
  });
});
