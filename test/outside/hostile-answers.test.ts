import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { FakeDiscord } from "../fakes/discord/fake-discord.ts";
import { says } from "../fakes/model-answer.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { FakeTeams } from "../fakes/teams/fake-teams.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { type Backbone, Product, type StartedProcess } from "./product.ts";

beforeAll(requireFreshBuild);

const HOSTILE: Readonly<Record<string, string>> = {
  quotes: ">".repeat(2_200),
  lists: `${"- ".repeat(1_100)}x`,
  stairs: Array.from({ length: 60 }, (_, depth) => `${" ".repeat(2 * depth)}- step ${depth}`).join("\n"),
  images: Array.from({ length: 300 }).reduce<string>((inner) => `![${inner}](u)`, "x"),
  table: `| a | b |\n|---|---|\n${"| c | d |\n".repeat(400)}`,
};
const endOf = (kind: string) => `the end of the ${kind}`;

/** Two people on a channel. */
interface Surface {
  ask(text: string): Promise<unknown>;
  askBeside(text: string): Promise<unknown>;
  /** The text of each posted message. */
  posted(): readonly string[];
}

const slackSurface = (slack: FakeSlack, address: string): Surface => {
  slack.sendEventsTo(`${address}/channels/slack/events`);
  return {
    ask: (text) => slack.say({ text }),
    askBeside: (text) => slack.say({ room: "C0LOBBY", text: `<@U0BOT> ${text}`, as: "app_mention", user: "U0BOB" }),
    posted: () => slack.posted.map((post) => JSON.stringify(post)),
  };
};

const discordSurface = (discord: FakeDiscord): Surface => {
  const [ann, bob] = ["ann", "bob"].map((name) => discord.world.privateChannel(discord.world.person(name)));
  const say = async (person: string, text: string) => {
    const channel = person === "ann" ? ann : bob;
    if (channel !== undefined) discord.say({ person, in: channel, text });
  };
  return {
    ask: (text) => say("ann", text),
    askBeside: (text) => say("bob", text),
    posted: () => discord.posted.map(({ content }) => content),
  };
};

const teamsSurface = (teams: FakeTeams, address: string): Surface => {
  teams.endpoint = `${address}/channels/teams/messages`;
  return {
    ask: (text) => teams.say({ text }),
    askBeside: (text) => teams.say({ text, person: "bob" }),
    posted: () => teams.api.posts.items.map((post) => JSON.stringify(post.activity)),
  };
};

const webSurface = (ann: WebClient, bob: WebClient): Surface => ({
  ask: async (text) => ann.say(text),
  askBeside: async (text) => bob.say(text),
  posted: () => [...ann.log, ...bob.log].map(({ markdown = "" }) => markdown),
});

const expectShown = async (surface: Surface): Promise<void> => {
  const showing = (text: string) => surface.posted().filter((message) => message.includes(text));
  // Polled, because the draft of a streamed message becomes the answer by an edit.
  const shown = (text: string) => expect.poll(() => showing(text).length, { interval: 50 }).toBe(1);
  for (const kind of Object.keys(HOSTILE)) await surface.ask(`show ${kind}`);
  await surface.ask("and now");
  await surface.askBeside("hello from beside");
  await shown("hello from beside");
  await shown("You said: and now");
  for (const kind of Object.keys(HOSTILE)) await shown(endOf(kind));
};

describe.each<Backbone>(["embedded", "nats"])("given a model with hostile markdown, on the %s backbone", (backbone) => {
  let product: Product;
  const owned: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    await product.dispose();
    for (const each of owned.splice(0)) await each.stop();
  });

  const start = async (): Promise<[StartedProcess, FakeSlack, FakeDiscord, FakeTeams]> => {
    const model = await ScriptedModelServer.start(({ lastUserText }) => {
      const kind = /^show (\w+)/.exec(lastUserText)?.[1] ?? "";
      return says(kind in HOSTILE ? `${HOSTILE[kind]}\n\n${endOf(kind)}` : `You said: ${lastUserText}`);
    });
    const [slack, discord, teams] = [await FakeSlack.start(), await FakeDiscord.start(), await FakeTeams.start()];
    owned.push(model, slack, discord, teams);
    for (const name of ["ann", "bob"]) discord.world.person(name);
    const { botToken, apiUrl, signingSecret } = slack;
    product = await Product.create({
      backbone,
      config: {
        agents: [
          {
            name: "mooring",
            model: { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted" },
          },
        ],
        channels: {
          web: { adapter: "web" },
          slack: { adapter: "slack", botToken, apiUrl, signingSecret },
          discord: {
            adapter: "discord",
            botToken: discord.token,
            apiUrl: discord.apiUrl,
            access: { guilds: "*" },
          },
          teams: teams.config,
        },
      },
    });
    const mooring = await product.start("start");
    await mooring.ready();
    await discord.gateway.events.until((events) => events.includes("identified"));
    return [mooring, slack, discord, teams];
  };

  it("when it answers in every channel, then each answer arrives once and complete, and delays no other (F37, F25)", async () => {
    const [mooring, slack, discord, teams] = await start();
    const web = webSurface(product.client("ann", mooring.address), product.client("bob", mooring.address));
    await Promise.all(
      [slackSurface(slack, mooring.address), discordSurface(discord), teamsSurface(teams, mooring.address), web].map(
        expectShown,
      ),
    );
    const log = mooring.stdout() + mooring.stderr();
    expect(log).toContain("reply could not be rendered, sent as plain text");
    // On a busy machine a platform may respond slowly; such a retry is unrelated to the text.
    const failed = log.split("\n").filter((line) => line.includes("delivery failed"));
    expect(failed.filter((line) => !line.includes('"reason":"unavailable"'))).toEqual([]);
    expect(log).not.toContain("adapter bug");
  });
});
