import { beforeAll, describe, expect } from "vitest";
import { FakeDiscord } from "../../fakes/discord/fake-discord.ts";
import type { FakeChannel } from "../../fakes/discord/world.ts";
import { calls, Gate, type ModelAnswer, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { heldItems, ONLY_HELD, quietSettings, yearly } from "./scheduled-run.ts";
import { IDENTITY_KEY, type RunningProduct, SettingsRig, visitorToken } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;
const gate = new Gate();

/** A Discord with ann and bob, a server, and two rooms in it. */
interface FakePlatform {
  readonly discord: FakeDiscord;
  readonly ann: string;
  readonly dm: FakeChannel;
  readonly room: FakeChannel;
  readonly other: FakeChannel;
}
const newPlatform = async (): Promise<FakePlatform> => {
  const discord = rig.owns(await FakeDiscord.start());
  const { world } = discord;
  const ann = world.person("ann");
  world.person("bob");
  const guild = world.addGuild("harbour");
  return {
    discord,
    ann: ann.id,
    dm: world.privateChannel(ann),
    room: world.addRoom(guild),
    other: world.addRoom(guild),
  };
};

/** A separate Discord for each channel, because one bot would receive the messages to another. */
const NAMES = ["plain", "mate", "origin", "whole", "eyes", "one-room", "hearing", "ann", "rare", "guild"] as const;
let platforms: Record<(typeof NAMES)[number], FakePlatform>;
let quietPlatform: FakePlatform;

const answer = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
  if (toolNames.includes("complete_subtask")) return says("all about it");
  if (lastUserText.startsWith("[")) return says("Here is everything about it.");
  if (lastUserText.includes("tides")) return says(["The tide ", gate, "comes in."]);
  if (!lastUserText.includes("research")) return says(`You said: ${lastUserText}`);
  if (toolOutputs.length > 0) return says("I am on it.");
  return calls([{ name: "spawn_subtask", arguments: { name: "part", prompt: "look" } }]);
};

beforeAll(async () => {
  const opened = await Promise.all(NAMES.map(async (name) => [name, await newPlatform()] as const));
  platforms = Object.fromEntries(opened) as typeof platforms;
  platforms.mate.discord.token = "token.of.the.mate";
  quietPlatform = await newPlatform();
  models = await rig.models();
  const base = ({ discord }: FakePlatform) => ({ adapter: "discord", botToken: discord.token, apiUrl: discord.apiUrl });
  const open = { agent: "mooring", access: { guilds: "*" } };
  const { ann } = platforms.ann;
  const [guild] = [...platforms.guild.discord.world.guilds.keys()];
  const stranger = platforms.guild.discord.world.addGuild("strangers");
  platforms.guild = { ...platforms.guild, other: platforms.guild.discord.world.addRoom(stranger) };
  const settings = {
    plain: open,
    mate: { ...open, agent: "mate" },
    origin: { ...open, delivery: { policy: "origin" } },
    whole: { ...open, streaming: false },
    eyes: { ...open, reactions: true },
    "one-room": { ...open, access: { guilds: "*", rooms: [platforms["one-room"].room.id] } },
    hearing: { ...open, access: { guilds: "*", mentionOnly: false } },
    ann: { ...open, access: { accounts: [ann] } },
    rare: { ...open, access: { guilds: "*", messagesPerMinute: 1 } },
    guild: { ...open, access: { guilds: [guild] } },
  };
  const quiet = Object.entries(quietSettings()).map(([name, more]) => ({ name: `quiet-${name}`, more }));
  const channels = {
    web: { adapter: "web", agent: "mooring", identityKey: IDENTITY_KEY },
    ...Object.fromEntries(NAMES.map((name) => [name, { ...base(platforms[name]), ...settings[name] }])),
    ...Object.fromEntries(quiet.map(({ name, more }) => [name, { ...base(quietPlatform), ...open, ...more }])),
  };
  const { id: room, guild_id: workspace } = quietPlatform.room;
  const schedules = quiet.map(({ name }) => yearly(name, { channel: name, room, workspace }));
  const accounts = { web: "ann", plain: platforms.plain.ann, origin: platforms.origin.ann };
  mooring = await rig.start({
    agents: [
      { name: "mooring", model: models.named("mooring", answer), schedules },
      { name: "mate", model: models.named("mate") },
    ],
    channels,
    people: [{ name: "Ann", accounts }],
  });
  const all = [...NAMES.map((name) => platforms[name]), quietPlatform];
  await Promise.all(all.map(({ discord }) => discord.gateway.events.until((events) => events.includes("identified"))));
});

const posted = async ({ discord }: FakePlatform, text: string) => {
  const isIt = ({ content }: { content: string }) => content.includes(text);
  await discord.world.changes.until(() => discord.posted.some(isIt));
  return discord.posted.find(isIt);
};
const receivedTexts = () => models.requests("mooring").map(({ lastUserText }) => lastUserText);

describe("given bots in Discord with different settings", () => {
  proves(
    [
      "channels.*(discord).adapter",
      "channels.*(discord).agent",
      "channels.*(discord).botToken",
      "channels.*(discord).apiUrl",
    ],
    "when a person writes, then the channel's agent answers, with the channel's token",
    async () => {
      const { plain, mate } = platforms;
      plain.discord.say({ person: "ann", in: plain.dm, text: "hello" });
      mate.discord.say({ person: "ann", in: mate.dm, text: "ahoy" });
      await posted(plain, "You said: hello");
      await posted(mate, "You said: ahoy");
      expect(models.requests("mate").map(({ lastUserText }) => lastUserText)).toEqual(["ahoy"]);
    },
  );

  proves(
    ["channels.*(discord).access.rooms", "channels.*(discord).access.mentionOnly", "channels.*(discord).access.guilds"],
    "when people write in servers, then each channel accepts the messages that its access rules admit",
    async () => {
      const { plain, hearing, guild } = platforms;
      const oneRoom = platforms["one-room"];
      for (const platform of [plain, hearing])
        platform.discord.say({ person: "ann", in: platform.room, text: "not to the bot" });
      await posted(hearing, "not to the bot");
      for (const platform of [oneRoom, guild, plain]) {
        platform.discord.say({ person: "ann", in: platform.other, text: "in the other room", mention: true });
        platform.discord.say({ person: "ann", in: platform.room, text: "in the room", mention: true });
        await posted(platform, "in the room");
      }
      await posted(plain, "in the other room");
      expect(receivedTexts().filter((text) => text.includes("not to the bot"))).toHaveLength(1);
      expect(receivedTexts().filter((text) => text.includes("in the other room"))).toHaveLength(1);
    },
  );

  proves(
    ["channels.*(discord).access.accounts", "channels.*(discord).access.messagesPerMinute"],
    "when people write, then each channel answers the accounts that it admits, and refuses the others with a notice",
    async () => {
      const { plain, ann, rare } = platforms;
      for (const platform of [plain, ann]) {
        const bob = platform.discord.world.privateChannel(platform.discord.world.person("bob"));
        platform.discord.say({ person: "bob", in: bob, text: "it is bob" });
      }
      await posted(plain, "You said: it is bob");
      ann.discord.say({ person: "ann", in: ann.dm, text: "it is ann" });
      await posted(ann, "You said: it is ann");
      expect(receivedTexts().filter((text) => text === "it is bob")).toHaveLength(1);
      rare.discord.say({ person: "ann", in: rare.dm, text: "once" });
      rare.discord.say({ person: "ann", in: rare.dm, text: "twice" });
      await posted(rare, "more than 1 messages in a minute");
    },
  );

  proves(
    ["channels.*(discord).reactions"],
    "when a channel has reactions, then a message that has reached the agent is marked; by default it is not",
    async () => {
      const { plain, eyes } = platforms;
      const { id } = eyes.discord.say({ person: "ann", in: eyes.dm, text: "with a mark" });
      expect(await eyes.discord.reactions.count(1)).toMatchObject([{ messageId: id, emoji: "👀" }]);
      plain.discord.say({ person: "ann", in: plain.dm, text: "without a mark" });
      await posted(plain, "You said: without a mark");
      expect(plain.discord.reactions.items).toEqual([]);
    },
  );

  proves(
    ["channels.*(discord).streaming"],
    "when an answer takes a while, then a channel that streams shows a draft, and another only the complete answer",
    async () => {
      const { plain, whole } = platforms;
      whole.discord.say({ person: "ann", in: whole.dm, text: "tides" });
      await expect.poll(receivedTexts).toContain("tides");
      plain.discord.say({ person: "ann", in: plain.dm, text: "tides" });
      await posted(plain, "The tide");
      // A second stream that starts later still shows a draft before the final reply.
      plain.discord.say({ person: "ann", in: plain.room, text: "tides", mention: true });
      const isBegun = () =>
        plain.discord.posted.some((post) => post.channel_id === plain.room.id && post.content.startsWith("The tide"));
      await plain.discord.world.changes.until(isBegun);
      expect(whole.discord.posted).toEqual([]);
      gate.release();
      await posted(whole, "The tide comes in.");
    },
  );

  proves(
    [
      "channels.*(discord).delivery.quietHours.from",
      "channels.*(discord).delivery.quietHours.to",
      "channels.*(discord).delivery.quietHours.timeZone",
      "channels.*(discord).timeZone",
    ],
    "when schedules have results, then they are held on the one channel where quiet hours apply",
    async () => {
      expect(await heldItems(mooring, "quiet")).toEqual(ONLY_HELD);
    },
  );

  proves(
    ["channels.*(discord).delivery.policy"],
    "when work that began on a channel ends, then other channels of the person show it too, unless the policy is origin",
    async () => {
      const client = mooring.client("ann", "web", visitorToken("ann"));
      await client.answerTo(client.say("hello"));
      const results = () => client.replies().filter(({ markdown }) => markdown?.includes("Here is everything"));
      for (const platform of [platforms.origin, platforms.plain]) {
        platform.discord.say({ person: "ann", in: platform.dm, text: "research knots" });
        await posted(platform, "Here is everything about it.");
      }
      await client.until(() => results().length > 0, "the result that began in Discord");
      expect(results().map(({ anchor }) => anchor?.channel)).toEqual(["plain"]);
    },
  );
});
