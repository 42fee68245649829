import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { FakeDiscord } from "../fakes/discord/fake-discord.ts";
import { fakeServer } from "../fakes/mcp/fake-server.ts";
import { calls, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { CONSENT_CARD, FakeTeams } from "../fakes/teams/fake-teams.ts";
import { FakeTelegram } from "../fakes/telegram/fake-telegram.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { type Backbone, Product } from "./product.ts";

beforeAll(requireFreshBuild);

const cleanUp: (() => Promise<unknown>)[] = [];
const started = <T extends { stop(): Promise<unknown> }>(fake: T): T => {
  cleanUp.push(() => fake.stop());
  return fake;
};
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** "draw" calls the tool of the MCP server; "research" lets a subtask do that. */
const answer = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
  const isSubagent = toolNames.includes("complete_subtask");
  if (lastUserText.startsWith("[images of the tool results")) return says("Here.");
  if (lastUserText.startsWith("[")) return says("All is drawn.");
  if (toolOutputs.length > 0) return says(isSubagent || lastUserText.includes("draw") ? "Here." : "On it.");
  if (isSubagent || lastUserText.includes("draw")) return calls([{ name: "art__art", arguments: {} }]);
  return calls([{ name: "spawn_subtask", arguments: { name: "art", prompt: "draw" } }]);
};

const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const REPORT = Buffer.from("ship,metres\nAnna,12\n");
const sent = [
  { name: "image-1.png", bytes: PICTURE },
  { name: "ships.csv", bytes: REPORT },
];

describe.each<Backbone>(["embedded", "nats"])("given a tool that returns a picture and a file, on %s", (backbone) => {
  it("when people on every channel ask for them, then each gets both with their bytes (M3)", async () => {
    const model = started(await ScriptedModelServer.start(answer));
    const slack = started(await FakeSlack.start());
    const discord = started(await FakeDiscord.start());
    const telegram = started(await FakeTelegram.start());
    const teams = started(await FakeTeams.start());
    const { botToken, apiUrl, signingSecret } = slack;
    const product = await Product.create({
      backbone,
      config: {
        agents: [
          {
            name: "mooring",
            model: { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" },
            rights: { member: ["default", "tool:*"], anonymous: ["default", "tool:*"] },
            mcpServers: { art: fakeServer({ tools: [{ name: "art", inputSchema: { type: "object" } }] }) },
          },
        ],
        channels: {
          web: { adapter: "web" },
          slack: { adapter: "slack", botToken, apiUrl, signingSecret },
          discord: { adapter: "discord", botToken: discord.token, apiUrl: discord.apiUrl, access: { guilds: "*" } },
          telegram: {
            adapter: "telegram",
            botToken: telegram.token,
            apiUrl: telegram.apiUrl,
            access: { accounts: "*" },
          },
          teams: teams.config,
        },
      },
    });
    cleanUp.push(() => product.dispose());
    const mooring = await product.start("start");
    await mooring.ready();
    slack.sendEventsTo(`${mooring.address}/channels/slack/events`);
    teams.endpoint = `${mooring.address}/channels/teams/messages`;

    const visitor = product.client("visitor", mooring.address);
    const reply = await visitor.answerTo(visitor.say("draw"));
    expect(reply.markdown).toBe("Here.");
    expect(await downloads(mooring.address, visitor, reply.files)).toEqual(sent);

    // The answer of the batch has the files of its member.
    await visitor.answerTo(visitor.say("research"));
    await visitor.until(() => visitor.log.some(({ markdown }) => markdown === "All is drawn."), "the answer");
    const synthesis = visitor.log.find(({ markdown }) => markdown === "All is drawn.");
    expect(await downloads(mooring.address, visitor, synthesis?.files)).toEqual(sent);

    await slack.say({ room: "C0LOBBY", text: "<@U0BOT> draw", ts: slack.world.nextTs(), as: "app_mention" });
    await slack.until((posted) => posted.length >= 2);
    const links = JSON.stringify(slack.posted.slice(1)).matchAll(/slack\.com\/files\/\w+\/(\w+)\//g);
    const uploaded = [...new Set([...links].map(([, id = ""]) => id))].map((id) => slack.world.files.get(id));
    expect(uploaded.map((file) => ({ name: file?.name, bytes: file?.content }))).toEqual(sent);

    const dm = discord.world.privateChannel(discord.world.person("ann"));
    discord.say({ in: dm, text: "draw", person: "ann" });
    const post = await discord.world.changes.until(() => discord.posted.some(({ files = [] }) => files.length > 0));
    expect(post).toBeDefined();
    expect(discord.posted.flatMap(({ files = [] }) => files)).toEqual(sent);

    await telegram.say({ in: telegram.world.privateChat("ann"), text: "draw", person: "ann" });
    await telegram.world.changes.until(() => telegram.posted.flatMap(({ files }) => files).length >= 2);
    const inTelegram = telegram.posted.flatMap(({ files }) => files);
    expect(
      inTelegram.map(({ file_id, file_name }) => ({
        name: file_name,
        bytes: telegram.world.files.get(file_id)?.bytes,
      })),
    ).toEqual(sent);

    await teams.say({ text: "draw" });
    const [, picture, card] = await teams.api.posts.count(3);
    expect(picture?.activity.attachments?.[0]).toMatchObject({
      contentType: "image/png",
      contentUrl: `data:image/png;base64,${PICTURE.toString("base64")}`,
    });
    expect(card?.activity.attachments?.[0]).toMatchObject({ contentType: CONSENT_CARD, name: "ships.csv" });
    expect(card && (await teams.consent(card))).toEqual({ status: 200, bytes: REPORT });
    expect(JSON.stringify(card?.activity)).toContain("card.file.info");
  });
});

const downloads = (address: string, visitor: WebClient, files: WebClient["log"][number]["files"] = []) =>
  Promise.all(
    files.map(async ({ id, name }) => {
      const headers = { authorization: `Bearer ${visitor.token}` };
      const answer = await fetch(`${address}/channels/web/files?id=${id}`, { headers });
      expect(answer.headers.get("content-disposition")).toContain("attachment");
      return { name, bytes: Buffer.from(await answer.arrayBuffer()) };
    }),
  );
