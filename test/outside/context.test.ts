import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { FakeDiscord } from "../fakes/discord/fake-discord.ts";
import { calls, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { FakeTeams } from "../fakes/teams/fake-teams.ts";
import { FakeTelegram } from "../fakes/telegram/fake-telegram.ts";
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

/** Passes the words of the person to the tool, and its result back to the person. */
const answer = ({ lastUserText, toolOutputs }: ModelRequest): ModelAnswer => {
  const [, when] = /^remind me (.+)$/.exec(lastUserText) ?? [];
  if (when === undefined || toolOutputs.length > 0) return says(toolOutputs.at(-1) ?? `You said: ${lastUserText}`);
  return calls([{ name: "schedule_task", arguments: { description: "tea", prompt: "say tea", when } }]);
};

/** All channels, in one process or in a gateway and a core. */
const start = async (backbone: Backbone) => {
  const model = started(await ScriptedModelServer.start(answer));
  const slack = started(await FakeSlack.start());
  const discord = started(await FakeDiscord.start());
  const telegram = started(await FakeTelegram.start());
  const teams = started(await FakeTeams.start());
  const { botToken, apiUrl, signingSecret } = slack;
  const access = { accounts: "*" };
  const product = await Product.create({
    backbone,
    config: {
      agents: [
        {
          name: "mooring",
          model: { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" },
        },
      ],
      channels: {
        web: { adapter: "web" },
        slack: { adapter: "slack", botToken, apiUrl, signingSecret },
        discord: { adapter: "discord", botToken: discord.token, apiUrl: discord.apiUrl, access },
        telegram: { adapter: "telegram", botToken: telegram.token, apiUrl: telegram.apiUrl, access },
        teams: teams.config,
      },
    },
  });
  cleanUp.push(() => product.dispose());
  if (backbone === "nats") await (await product.start("core")).ready();
  const mooring = await product.start(backbone === "nats" ? "gateway" : "start");
  await mooring.ready();
  slack.sendEventsTo(`${mooring.address}/channels/slack/events`);
  teams.endpoint = `${mooring.address}/channels/teams/messages`;
  await discord.gateway.events.until((events) => events.includes("identified"));
  /** The context of the first request of the model that ends with these words of a person. */
  const contextOf = async (text: string): Promise<string> => {
    for (let count = 1; ; count++) {
      const request = await model.received(count);
      if (request.lastUserText.endsWith(text)) return request.context;
    }
  };
  return { model, slack, discord, telegram, teams, product, address: mooring.address, contextOf };
};

const quoteIn = (context: string): string =>
  /The message replies to this earlier one ?(\([^\n]*\))?\. It is quoted[^\n]*\n([\s\S]*)$/.exec(context)?.[0] ?? "";

describe.each<Backbone>(["embedded", "nats"])("given people on all channels, on %s", (backbone) => {
  it("when they write, and when they answer a message, then the model knows time, place, speaker and the quoted message (M1)", async () => {
    const { slack, discord, telegram, teams, product, address, contextOf } = await start(backbone);

    const ann = product.client("ann", address);
    const first = await ann.answerTo(ann.say("from web"));
    expect(await contextOf("from web")).toMatch(
      /^\[Context, [^\n]*\]\nNow: \w+,? \d+ \w+ \d{4}[^\n]*GMT[^\n]*time zone [^\n]+\nConversation: a private conversation on the channel web\nSpeaker: Visitor$/,
    );
    await ann.answerTo(ann.say("is that so?", first.id));
    expect(quoteIn(await contextOf("is that so?"))).toMatch(/\(from you, [^\n]*\)[^\n]*\n> You said: from web$/);
    // The id of another person's reply quotes nothing.
    const eve = product.client("eve", address);
    await eve.answerTo(eve.say("what did she get?", first.id));
    expect(quoteIn(await contextOf("what did she get?"))).toBe("");

    const ts = slack.world.nextTs();
    const root = { room: "C0LOBBY", ts, user: "U0BOB", text: "The crane stays closed", blocks: [], attachments: [] };
    slack.world.messages.push(root);
    await slack.say({ room: "C0LOBBY", thread: ts, text: "<@U0BOT> since when?", as: "app_mention" });
    const inSlack = await contextOf("since when?");
    expect(inSlack).toContain(
      "time zone Europe/Berlin\nConversation: a thread in a shared room on the channel slack\nSpeaker: ann\n",
    );
    expect(quoteIn(inSlack)).toMatch(/\(from bob, [^\n]*\)[^\n]*\n> The crane stays closed$/);
    const shared = { is_share: true, author_name: "Bob", text: "Berth 7 is free", ts: "1773176400.000100" };
    await slack.say({ text: "is it?", more: { attachments: [shared] } });
    expect(quoteIn(await contextOf("is it?"))).toMatch(/\(from Bob, [^\n]*\)[^\n]*\n> Berth 7 is free$/);
    const secret = { ...shared, private_channel_prompt: true, text: "The code is 4711" };
    const toRoom = { room: "C0LOBBY", as: "app_mention" } as const;
    await slack.say({ text: "<@U0BOT> what is it?", more: { attachments: [secret] }, ...toRoom });
    expect(await contextOf("what is it?")).not.toContain("4711");

    const dm = discord.world.privateChannel(discord.world.person("ann"));
    const earlier = discord.write({ person: "ann", in: dm, text: "Aurora leaves at nine" });
    discord.say({ person: "ann", in: dm, text: "really?", answers: earlier });
    expect(quoteIn(await contextOf("really?"))).toMatch(/> Aurora leaves at nine$/);

    const chat = telegram.world.privateChat("ann");
    await telegram.say({ person: "ann", in: chat, text: "from telegram" });
    await telegram.world.changes.until(() => telegram.posted.length > 0);
    const shown = telegram.posted[0];
    await telegram.say({ person: "ann", in: chat, text: "say more", ...(shown && { answers: shown.message_id }) });
    expect(quoteIn(await contextOf("say more"))).toMatch(/\(from you[^\n]*\)[^\n]*\n> You said: from telegram$/);

    const content =
      '<blockquote itemtype="http://schema.skype.com/Reply" itemid="1699"><p>Low water at noon</p></blockquote><p>now?</p>';
    await teams.say({ text: "now?", more: { attachments: [{ contentType: "text/html", content }] } });
    expect(quoteIn(await contextOf("now?"))).toMatch(/> Low water at noon$/);
  });

  it("when they name times in their words, then the answers name the times of their own clock (M2)", async () => {
    const { slack, product, address } = await start(backbone);
    const bea = product.client("bea", address);
    const answerTo = async (text: string) => (await bea.answerTo(bea.say(text))).markdown;
    expect(await answerTo("/timezone asia/kolkata")).toContain("Your time zone is Asia/Kolkata.");
    for (const when of ["tomorrow at 9", "morgen um 9 Uhr", "mañana a las 9"]) {
      expect(await answerTo(`remind me ${when}`)).toMatch(/^Scheduled as .* once, on .*, 09:00 Asia\/Kolkata\.$/);
    }
    expect(await answerTo("remind me tomorrow at 3")).toContain("can be 03:00 or 15:00 on ");
    await slack.say({ text: "remind me tomorrow at 9" });
    const [post] = await slack.until((posts) => posts.length > 0);
    expect(JSON.stringify(post)).toContain("09:00 Europe/Berlin");
  });
});
