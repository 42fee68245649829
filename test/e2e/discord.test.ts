import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FakeDiscord } from "../fakes/discord/fake-discord.ts";
import { smallPrintOf } from "../fakes/discord/post-input.ts";
import type { FakeChannel } from "../fakes/discord/world.ts";
import { calls, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

let discord: FakeDiscord;
let model: ScriptedModelServer;
let dm: FakeChannel;
let room: FakeChannel;
const cleanUp: (() => Promise<void>)[] = [];
beforeEach(async () => {
  discord = await FakeDiscord.start();
  model = await ScriptedModelServer.start(answer);
  dm = discord.world.privateChannel(discord.world.person("ann"));
  room = discord.world.addRoom(discord.world.addGuild("harbour"));
  cleanUp.push(
    () => discord.stop(),
    () => model.stop(),
  );
});
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

/** Delegates when it is asked to research, and recognises its role by its prompt. */
const answer = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
  if (toolNames.includes("complete_subtask")) return says("all about knots");
  if (lastUserText.startsWith("[")) return says("Here is everything about knots.");
  if (!lastUserText.includes("research")) return says(`You said: ${lastUserText}`);
  if (toolOutputs.length > 0) return says("I am on it.");
  return calls([{ name: "spawn_subtask", arguments: { name: "knots", prompt: "knots" } }]);
};

/** The built product with a Discord channel, in one process or as gateways and a core on a real nats-server. */
const deploy = async (backbone: "embedded" | "nats", more: { channels?: object; people?: object[] } = {}) => {
  const nats = backbone === "nats" ? await NatsServer.start() : undefined;
  if (nats) cleanUp.push(() => nats.stop());
  const { token: botToken, apiUrl } = discord;
  const deployment = await Deployment.create(
    plainConfig({
      backbone: nats ? { nats: { servers: [nats.url], leaseMs: 2_000, partitions: 4 } } : "embedded",
      agents: [
        {
          name: "mooring",
          model: { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" },
        },
      ],
      channels: {
        web: { adapter: "web" },
        discord: { adapter: "discord", botToken, apiUrl, access: { guilds: "*" } },
        ...more.channels,
      },
      people: more.people ?? [],
    }),
  );
  cleanUp.push(() => deployment.dispose());
  if (nats) await deployment.run("core").running;
  const start = async () => {
    const gateway = deployment.run(nats ? "gateway" : "start");
    return { gateway, address: await gateway.running };
  };
  return { deployment, start };
};
const answers = () => discord.posted.map(({ content }) => content);
const identified = (times: number) =>
  discord.gateway.events.until((events) => events.filter((event) => event === "identified").length >= times);

describe.each(["embedded", "nats"] as const)("given Mooring on %s, and a person in Discord", (backbone) => {
  it("when they write in private and in a server, then each message gets one answer in its conversation", async () => {
    const { start } = await deploy(backbone);
    await start();
    await identified(1);
    discord.say({ person: "ann", in: dm, text: "hello" });
    await discord.untilPosted(1);
    const said = discord.say({ person: "ann", in: room, text: "hi there", mention: true });
    await discord.untilPosted(2);
    expect(discord.posted).toMatchObject([
      { channel_id: dm.id, content: "You said: hello" },
      { channel_id: room.id, content: expect.stringContaining("hi there"), message_reference: { message_id: said.id } },
    ]);
    const help = discord.command("ann", dm, "help");
    await discord.interactions.changes.until(() => help.answers.length > 0);
    expect(help.answers).toMatchObject([{ content: expect.stringContaining("cancel") }]);
  });
});

describe("given Mooring in one process", () => {
  it("when it is killed, then messages from the meantime are answered once after a restart", async () => {
    const { start } = await deploy("embedded");
    const { gateway } = await start();
    await identified(1);
    discord.say({ person: "ann", in: dm, text: "before" });
    await discord.untilPosted(1);
    gateway.kill("SIGKILL");
    await gateway.exited;
    discord.write({ person: "ann", in: dm, text: "meanwhile" });
    await start();
    await discord.untilPosted(2);
    discord.say({ person: "ann", in: dm, text: "after" });
    await discord.untilPosted(3);
    expect(answers()).toEqual(["You said: before", "You said: meanwhile", "You said: after"]);
  });
});

describe.each(["embedded", "nats"] as const)(
  "given a person with accounts on two bots of the agent (C6), on %s",
  (on) => {
    it("when work is delegated on one, then both show its result, the other one with an anchor that links back", async () => {
      const other = await FakeDiscord.start();
      cleanUp.push(() => other.stop());
      const otherAnn = other.world.person("ann");
      const otherDm = other.world.privateChannel(otherAnn);
      const { token: botToken, apiUrl } = other;
      const { start } = await deploy(on, {
        channels: { "discord-two": { adapter: "discord", botToken, apiUrl, access: { guilds: "*" } } },
        people: [{ name: "Ann", accounts: { discord: discord.world.person("ann").id, "discord-two": otherAnn.id } }],
      });
      await start();
      await Promise.all([identified(1), other.gateway.events.until((events) => events.includes("identified"))]);
      other.say({ person: "ann", in: otherDm, text: "hello" });
      await other.untilPosted(1);
      const asked = discord.say({ person: "ann", in: dm, text: "research knots" });
      const result = (content: string) => content.includes("everything about knots");
      await Promise.all([
        discord.world.changes.until(() => discord.posted.some(({ content }) => result(content))),
        other.world.changes.until(() => other.posted.some(({ content }) => result(content))),
      ]);
      const here = discord.posted.find(({ content }) => result(content));
      const there = other.posted.find(({ content }) => result(content));
      expect(here && smallPrintOf(here)).toEqual([]);
      const link = `https://discord.com/channels/@me/${dm.id}/${asked.id}`;
      expect(there && smallPrintOf(there)).toEqual([
        expect.stringMatching(/^-# ↳ Re: "research knots" · started <t:\d+:t>/),
      ]);
      expect(there?.content).toContain(`[jump](${link})`);
      if (there === undefined) return;
      const why = other.press("ann", there, "Why?");
      await other.interactions.changes.until(() => why.answers.length > 0);
      expect(why.answers[0]?.content).toContain("research knots");
    });
  },
);

describe("given two gateways, and a platform that allows one connection", () => {
  it("when the connected gateway is killed, then the other takes over", async () => {
    const { start } = await deploy("nats");
    const first = await start();
    await identified(1);
    await start();
    discord.say({ person: "ann", in: dm, text: "before" });
    await discord.untilPosted(1);
    expect(discord.gateway.connections).toBe(1);
    first.gateway.kill("SIGKILL");
    await first.gateway.exited;
    discord.write({ person: "ann", in: dm, text: "meanwhile" });
    await discord.untilPosted(2);
    expect(discord.gateway.connections).toBe(1);
    expect(answers()).toEqual(["You said: before", "You said: meanwhile"]);
  });
});

describe("given a channel that Discord rejects", () => {
  it("when the token is wrong, then other channels work, and health and check report the reason", async () => {
    const { deployment, start } = await deploy("embedded");
    discord.token = "changed meanwhile";
    const { gateway, address } = await start();
    const client = deployment.with(new WebClient("visitor", () => address));
    expect((await client.answerTo(client.say("hello"))).markdown).toContain("You said");
    const ready = await fetch(`${address}/health/ready`);
    expect(await ready.text()).toContain("refuses the bot token");
    gateway.kill("SIGTERM");
    await gateway.exited;
    const check = deployment.run("check", ["--live"]);
    expect((await check.exited).code).not.toBe(0);
    expect(check.stdout() + check.stderr()).toContain("refuses the bot token");
  });
});
