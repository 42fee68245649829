import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeDiscord } from "../fakes/discord/fake-discord.ts";
import { calls, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import type { Post } from "../fakes/teams/connector-api.ts";
import { FakeTeams } from "../fakes/teams/fake-teams.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import type { MooringProcess } from "./mooring-process.ts";
import { requireFreshBuild } from "./mooring-process.ts";

const FACT = "the boat is called Anemone";

/** Calls remember if the message asks for it; otherwise it repeats the memory in the prompt, and the message. */
const answer = ({ lastUserText, toolOutputs }: ModelRequest): ModelAnswer => {
  const [text = "", note = ""] = lastUserText.split("\n\n[memory]");
  const [, fact] = /remember (.+)/.exec(text) ?? [];
  if (fact !== undefined && toolOutputs.length === 0) return calls([{ name: "remember", arguments: { text: fact } }]);
  return says(toolOutputs[0] ?? `${text} → I know: ${note.split("\n- ").slice(1).join("; ") || "nothing"}`);
};

describe.each(["embedded", "nats"] as const)(
  "given a person on Slack and Discord, and a colleague, on %s (M4)",
  (kind) => {
    const cleanUp: (() => Promise<unknown>)[] = [];
    const started = <T extends { stop(): Promise<unknown> }>(fake: T): T => {
      cleanUp.push(() => fake.stop());
      return fake;
    };
    let discord: FakeDiscord;
    let slack: FakeSlack;
    let teams: FakeTeams;
    let deployment: Deployment;
    let mooring: MooringProcess;

    const run = async () => {
      mooring = deployment.run("start");
      const address = await mooring.running;
      slack.sendEventsTo(`${address}/channels/slack/events`);
      teams.endpoint = `${address}/channels/teams/messages`;
    };

    beforeAll(async () => {
      await requireFreshBuild();
      discord = started(await FakeDiscord.start());
      slack = started(await FakeSlack.start());
      teams = started(await FakeTeams.start());
      const model = started(await ScriptedModelServer.start(answer));
      const nats = kind === "nats" ? started(await NatsServer.start()) : undefined;
      const scripted = { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" };
      const { botToken, apiUrl, signingSecret } = slack;
      deployment = await Deployment.create(
        plainConfig({
          ...(nats && { backbone: { nats: { servers: [nats.url], leaseMs: 1_000, partitions: 4 } } }),
          agents: [{ name: "mooring", model: scripted }],
          people: [{ name: "Ann", accounts: { slack: "U0ANN", discord: discord.world.person("ann").id } }],
          channels: {
            discord: { adapter: "discord", botToken: discord.token, apiUrl: discord.apiUrl, access: { accounts: "*" } },
            slack: { adapter: "slack", botToken, apiUrl, signingSecret },
            teams: teams.config,
          },
        }),
      );
      cleanUp.push(() => deployment.dispose());
      await run();
    });
    afterAll(async () => {
      for (const step of cleanUp.splice(0).reverse()) await step();
    });

    const inSlack = async (text: string, room?: { room: string; as: "app_mention" }): Promise<string> => {
      const before = slack.posted.length;
      await slack.say({ text: room ? `<@${slack.world.botUserId}> ${text}` : text, ...room });
      const posts = await slack.until((all) => all.length > before);
      return JSON.stringify(posts[before]);
    };
    const inDiscord = async (person: string, text: string): Promise<string> => {
      const before = discord.posted.length;
      discord.say({ person, in: discord.world.privateChannel(discord.world.person(person)), text });
      await discord.world.changes.until(() => discord.posted.length > before);
      return discord.posted[before]?.content ?? "";
    };
    const commandInDiscord = async (person: string, ...args: string[]): Promise<string> => {
      const dm = discord.world.privateChannel(discord.world.person(person));
      const interaction = discord.command(person, dm, "memory", ...args);
      await discord.interactions.changes.until(() => interaction.answers.length > 0);
      return interaction.answers[0]?.content ?? "";
    };

    it("when they tell it on Slack, then after /new and a SIGKILL the agent knows it on Discord, for this person in private only", async () => {
      expect(await inSlack(`remember ${FACT}`)).toContain(`Remembered for this person as entry 1: ${FACT}`);
      mooring.kill("SIGKILL");
      await mooring.exited;
      await run();
      await inSlack("/new");
      expect(await inSlack("hello")).toContain(`I know: 1: ${FACT}`);
      await discord.gateway.events.until((events) => events.includes("identified"));
      expect(await inDiscord("ann", "hello")).toContain(`I know: 1: ${FACT}`);
      expect(await inDiscord("bob", "hello")).toContain("I know: nothing");
      expect(await inSlack("hello", { room: "C0LOBBY", as: "app_mention" })).toContain("I know: nothing");
    });

    it("when /memory is used on each channel, then it shows the caller's entries in that channel's way, and erases them", async () => {
      expect(await commandInDiscord("bob")).toContain("I remember nothing about you yet");
      expect(await commandInDiscord("ann")).toContain(`1: ${FACT}`);
      const before = slack.posted.length;
      await slack.command({ text: "memory", room: "C0LOBBY" });
      const [shown] = (await slack.until((all) => all.length > before)).slice(before);
      expect(shown).toMatchObject({ onlyFor: "U0ANN" });
      expect(JSON.stringify(shown)).toContain("I remember nothing for this room yet");
      const textOf = ({ activity }: Post) => JSON.stringify(activity);
      await teams.say({ text: "/memory" });
      await teams.api.posts.until((all) =>
        all.some((post) => textOf(post).includes("I remember nothing about you yet")),
      );
      expect(await inSlack("/memory")).toContain(`1: ${FACT}`);
      expect(await inSlack("/memory forget 1")).toContain(`Forgotten: ${FACT}`);
      expect(await inDiscord("ann", "hello again")).toContain("I know: nothing");
    });
  },
);
