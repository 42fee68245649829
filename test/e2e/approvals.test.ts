import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { FakeDiscord } from "../fakes/discord/fake-discord.ts";
import { calls, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import type { Post } from "../fakes/teams/connector-api.ts";
import { FakeTeams } from "../fakes/teams/fake-teams.ts";
import { FakeTelegram } from "../fakes/telegram/fake-telegram.ts";
import { WebClient } from "../fakes/web-client.ts";
import { ToolService } from "../outside/settings/tool-service.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";

/** "book X" calls the tool with X; the turn about the decision reports it. */
const answer = ({ lastUserText, toolOutputs }: ModelRequest): ModelAnswer => {
  if (lastUserText.startsWith("[decision")) return says(`Outcome: ${/: ([a-z][^\n]*)/.exec(lastUserText)?.[1]}`);
  const [, berth] = /book (\w+)/.exec(lastUserText) ?? [];
  if (berth === undefined) return says("fine");
  return toolOutputs.length > 0 ? says("I asked.") : calls([{ name: "book", arguments: { berth } }]);
};

let service: ToolService;
let discord: FakeDiscord;
let slack: FakeSlack;
let socketSlack: FakeSlack;
let teams: FakeTeams;
let telegram: FakeTelegram;
let deployment: Deployment;
let address: string;
const cleanUp: (() => Promise<unknown>)[] = [];
const started = <T extends { stop(): Promise<unknown> }>(fake: T): T => {
  cleanUp.push(() => fake.stop());
  return fake;
};

beforeAll(async () => {
  await requireFreshBuild();
  service = started(await ToolService.start());
  discord = started(await FakeDiscord.start());
  slack = started(await FakeSlack.start());
  socketSlack = started(await FakeSlack.start());
  teams = started(await FakeTeams.start());
  telegram = started(await FakeTelegram.start());
  const model = started(await ScriptedModelServer.start(answer));
  const input = { properties: { berth: { type: "string" } }, required: ["berth"] };
  const book = { name: "book", description: "Books a berth", method: "POST", url: `${service.url}/berths`, input };
  const scripted = { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" };
  const slackOf = ({ botToken, apiUrl }: FakeSlack) => ({ adapter: "slack", botToken, apiUrl });
  deployment = await Deployment.create(
    plainConfig({
      agents: [
        {
          name: "mooring",
          model: scripted,
          tools: [{ ...book, approval: "ask" }],
          rights: { member: ["default", "tool:book"], anonymous: ["default", "tool:book", "confirm"] },
        },
      ],
      channels: {
        web: { adapter: "web" },
        discord: { adapter: "discord", botToken: discord.token, apiUrl: discord.apiUrl, access: { guilds: "*" } },
        slack: { ...slackOf(slack), signingSecret: slack.signingSecret },
        socket: { ...slackOf(socketSlack), appToken: socketSlack.appToken },
        teams: teams.config,
        telegram: {
          adapter: "telegram",
          botToken: telegram.token,
          apiUrl: telegram.apiUrl,
          access: { accounts: "*" },
        },
      },
    }),
  );
  cleanUp.push(() => deployment.dispose());
  address = await deployment.run("start").running;
  slack.sendEventsTo(`${address}/channels/slack/events`);
  teams.endpoint = `${address}/channels/teams/messages`;
});
afterAll(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** The bodies of all requests about a berth. */
const bookings = (berth: string) => service.requests("/berths").filter(({ body }) => body.includes(berth));
const isRequest = (text: string) => text.includes("May I run") && text.includes("/approve ");

describe("given a tool that asks first, and people on every channel (T4)", () => {
  it("when a person in Discord presses Approve, then it runs once and the message has no buttons any more", async () => {
    const dm = discord.world.privateChannel(discord.world.person("ann"));
    await discord.gateway.events.until((events) => events.includes("identified"));
    discord.say({ person: "ann", in: dm, text: "book discord1" });
    const find = (has: (content: string) => boolean) => discord.posted.find(({ content }) => has(content));
    await discord.world.changes.until(() => find(isRequest) !== undefined);
    const request = find(isRequest);
    if (request === undefined) throw new Error("no request");
    expect(request.content).toContain('"berth": "discord1"');
    discord.press("ann", request, "Approve");
    discord.press("ann", request, "Approve");
    await discord.world.changes.until(() => find((text) => text.includes("Outcome: approved by")) !== undefined);
    await discord.world.changes.until(() => find((text) => text.includes("**Approved by"))?.components.length === 0);
    expect(bookings("discord1")).toMatchObject([{ body: '{"berth":"discord1"}' }]);
  });

  it.each([
    ["over HTTP", () => slack, "slackhttp"],
    ["in Socket Mode", () => socketSlack, "slacksocket"],
  ] as const)("when a person in Slack %s presses Deny, then it does not run", async (_, slackOf, berth) => {
    const fake = slackOf();
    if (fake === socketSlack) await fake.sockets.greeted.count(1);
    await fake.say({ text: `book ${berth}` });
    const textOf = ({ text, blocks }: { text: string; blocks: unknown }) => `${text}\n${JSON.stringify(blocks)}`;
    const asked = (
      await fake.until((all) => all.some((post) => isRequest(textOf(post).replace("/mooring ", "/"))))
    ).find((post) => isRequest(textOf(post).replace("/mooring ", "/")));
    if (asked === undefined) throw new Error("no request");
    await fake.press(asked, "Deny");
    await fake.until((all) => all.some((post) => textOf(post).includes("Outcome: denied by")));
    await fake.until((all) => all.some((post) => post.ts === asked.ts && textOf(post).includes("Denied by")));
    const edited = fake.posted.find(({ ts }) => ts === asked.ts);
    expect(JSON.stringify(edited?.blocks)).not.toContain('"button"');
    expect(bookings(berth)).toEqual([]);
  });

  it("when a person in Telegram approves it for an hour, then it runs, and the next call does not ask", async () => {
    const chat = telegram.world.privateChat("ann");
    const find = (has: (text: string) => boolean) => telegram.posted.find(({ text }) => has(text));
    const until = (has: (text: string) => boolean) => telegram.world.changes.until(() => find(has) !== undefined);
    await telegram.say({ person: "ann", in: chat, text: "book telegram1" });
    await until((text) => text.includes("May I run"));
    const request = find((text) => text.includes("May I run"));
    if (request === undefined) throw new Error("no request");
    expect(request.text).toContain('"berth": "telegram1"');
    const press = telegram.press("ann", request, "Approve for an hour");
    await telegram.send([press]);
    await until((text) => /Outcome: approved by .* for an hour/.test(text));
    await telegram.world.changes.until(() => request.keyboard.length === 0);
    expect(bookings("telegram1")).toHaveLength(1);
    await telegram.say({ person: "ann", in: chat, text: "book telegram2" });
    await service.received.until(() => bookings("telegram2").length === 1);
    expect(telegram.posted.filter(({ text }) => text.includes("May I run"))).toHaveLength(1);
  });

  it("when a person in Teams presses Approve, then it runs once and the card says who approved it", async () => {
    await teams.say({ text: "book teams1" });
    const textOf = ({ activity }: Post) => JSON.stringify(activity);
    const isAsked = (post: Post) => textOf(post).includes("May I run");
    const request = (await teams.api.posts.until((all) => all.some(isAsked))).find(isAsked);
    const Buttons = z.object({
      body: z.array(z.object({ actions: z.array(z.object({ title: z.string(), data: z.unknown() })).optional() })),
    });
    const buttons = Buttons.parse(request?.activity.attachments?.[0]?.content).body.flatMap(
      ({ actions = [] }) => actions,
    );
    const data = buttons.find(({ title }) => title === "Approve")?.data;
    await teams.say({ more: { value: data } });
    await teams.api.posts.until((all) => all.some((post) => textOf(post).includes("Outcome: approved by")));
    const isDecided = (post: Post) => post.id === request?.id && textOf(post).includes("Approved by");
    const edited = (await teams.api.edits.until((all) => all.some(isDecided))).find(isDecided);
    expect(edited && textOf(edited)).toContain("May I run");
    expect(edited && textOf(edited)).toContain("teams1");
    expect(edited && textOf(edited)).not.toContain("Action.");
    expect(teams.api.posts.items.filter(isAsked)).toHaveLength(1);
    await teams.say({ more: { value: data } });
    await teams.api.posts.until((all) => all.some((post) => textOf(post).includes("Nothing to decide any more")));
    expect(bookings("teams1")).toHaveLength(1);
  });

  it("when a visitor of the web presses Approve and types the command too, then it runs once and the entry is edited", async () => {
    const client = deployment.with(new WebClient("ann", () => address));
    client.say("book web1");
    const find = (has: (text: string) => boolean) => client.log.find(({ markdown = "" }) => has(markdown));
    await client.until(() => find(isRequest) !== undefined, "the request");
    const [approve] = find(isRequest)?.actions ?? [];
    const pressed = client.command(approve?.name ?? "", approve?.value);
    const typed = client.command("approve", approve?.value);
    const texts = [await client.answerTo(pressed), await client.answerTo(typed)].map(({ markdown }) => markdown);
    expect(texts).toEqual([expect.stringContaining("Approved."), expect.stringContaining("Nothing to decide")]);
    await client.until(() => find((text) => text.startsWith("Outcome: approved by")) !== undefined, "the outcome");
    const edit = client.log.find(({ type }) => type === "edit");
    expect(edit?.markdown).toContain("**Approved by");
    expect(edit?.actions).toBeUndefined();
    expect(bookings("web1")).toHaveLength(1);
  });
});
