import { beforeAll, describe, expect } from "vitest";
import { calls, Gate, type ModelAnswer, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { FakeTelegram } from "../../fakes/telegram/fake-telegram.ts";
import type { FakeChat } from "../../fakes/telegram/world.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { heldItems, ONLY_HELD, quietSettings, runSchedule, yearly } from "./scheduled-run.ts";
import { IDENTITY_KEY, type RunningProduct, SettingsRig, visitorToken } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;
const gate = new Gate();

/** A Telegram with ann and bob, and two groups. */
interface FakePlatform {
  readonly telegram: FakeTelegram;
  readonly ann: FakeChat;
  readonly bob: FakeChat;
  readonly group: FakeChat;
  readonly other: FakeChat;
}
const newPlatform = async (): Promise<FakePlatform> => {
  const telegram = await FakeTelegram.start();
  rig.owns(telegram);
  const { world } = telegram;
  return {
    telegram,
    ann: world.privateChat("ann"),
    bob: world.privateChat("bob"),
    group: world.group,
    other: world.addGroup(-1_001_000_000_002),
  };
};

/** A separate Telegram for each channel, because two programs cannot poll one bot. */
const NAMES = [
  "plain",
  "mate",
  "origin",
  "whole",
  "eyes",
  "rooms",
  "hearing",
  "ann",
  "rare",
  "hook",
  "german",
] as const;
let platforms: Record<(typeof NAMES)[number], FakePlatform>;
let quietPlatforms: Record<string, FakePlatform>;

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
  platforms.mate.telegram.token = "7000000002:token_of-the-mate";
  const quiet = Object.entries(quietSettings()).map(([name, more]) => ({ name: `quiet-${name}`, more }));
  quietPlatforms = Object.fromEntries(
    await Promise.all(quiet.map(async ({ name }) => [name, await newPlatform()] as const)),
  );
  models = await rig.models();
  const base = ({ telegram }: FakePlatform) => ({
    adapter: "telegram",
    botToken: telegram.token,
    apiUrl: telegram.apiUrl,
  });
  const open = { agent: "mooring", access: { accounts: "*" } };
  const settings = {
    plain: open,
    mate: { ...open, agent: "mate" },
    origin: { ...open, delivery: { policy: "origin" } },
    whole: { ...open, streaming: false },
    eyes: { ...open, reactions: true },
    rooms: { ...open, access: { rooms: [String(platforms.rooms.group.id)] } },
    hearing: { ...open, access: { accounts: "*", mentionOnly: false } },
    ann: { ...open, access: { accounts: [String(platforms.ann.ann.id)] } },
    rare: { ...open, access: { accounts: "*", messagesPerMinute: 1 } },
    hook: { ...open, mode: "webhook", webhookSecret: "the-secret_of-the-webhook" },
    german: { ...open, locale: "de-DE" },
  };
  const channels = {
    web: { adapter: "web", agent: "mooring", identityKey: IDENTITY_KEY },
    ...Object.fromEntries(NAMES.map((name) => [name, { ...base(platforms[name]), ...settings[name] }])),
    ...Object.fromEntries(
      quiet.map(({ name, more }) => [name, { ...base(quietPlatforms[name] as FakePlatform), ...open, ...more }]),
    ),
  };
  const schedules = [...quiet.map(({ name }) => name), "plain", "german"].map((name) =>
    yearly(name, { channel: name, room: String(platforms.plain.group.id) }),
  );
  const accounts = { web: "ann", plain: String(platforms.plain.ann.id), origin: String(platforms.origin.ann.id) };
  mooring = await rig.start({
    agents: [
      { name: "mooring", model: models.named("mooring", answer), schedules },
      { name: "mate", model: models.named("mate") },
    ],
    channels,
    people: [{ name: "Ann", accounts }],
  });
  const polled = NAMES.filter((name) => name !== "hook").map((name) => platforms[name].telegram);
  await Promise.all(
    polled.map(({ calls: all }) => all.until((each) => each.some(({ method }) => method === "getUpdates"))),
  );
});

const posted = async ({ telegram }: FakePlatform, text: string) => {
  const isIt = (message: { text: string }) => message.text.includes(text);
  await telegram.world.changes.until(() => telegram.posted.some(isIt));
  return telegram.posted.find(isIt);
};
const say = (
  { telegram }: FakePlatform,
  chat: FakeChat,
  text: string,
  more: { person?: string; mention?: boolean } = {},
) => telegram.say({ person: more.person ?? "ann", in: chat, text, mention: more.mention ?? false });
const receivedTexts = () => models.requests("mooring").map(({ lastUserText }) => lastUserText);

describe("given bots in Telegram with different settings", () => {
  proves(
    [
      "channels.*(telegram).adapter",
      "channels.*(telegram).agent",
      "channels.*(telegram).botToken",
      "channels.*(telegram).apiUrl",
    ],
    "when a person writes, then the channel's agent answers, with the channel's token",
    async () => {
      const { plain, mate } = platforms;
      await say(plain, plain.ann, "hello");
      await say(mate, mate.ann, "ahoy");
      await posted(plain, "You said: hello");
      await posted(mate, "You said: ahoy");
      expect(models.requests("mate").map(({ lastUserText }) => lastUserText)).toEqual(["ahoy"]);
    },
  );

  proves(
    ["channels.*(telegram).mode", "channels.*(telegram).webhookSecret"],
    "when the mode is webhook, then Telegram sends messages with the secret, and others are refused",
    async () => {
      const { hook } = platforms;
      const { updates } = hook.telegram;
      expect(updates.webhook.url).toMatch(/\/channels\/hook\/updates$/);
      const own = new URL(new URL(updates.webhook.url).pathname, mooring.address).href;
      updates.webhook = { ...updates.webhook, url: own };
      const forged = hook.telegram.write({ person: "ann", in: hook.ann, text: "forged" });
      expect(await updates.post(forged, "another-secret_of-it")).toEqual([401]);
      await say(hook, hook.ann, "by webhook");
      await posted(hook, "You said: by webhook");
      expect(receivedTexts()).not.toContain("forged");
      expect(platforms.plain.telegram.updates.webhook.url).toBe("");
    },
  );

  proves(
    ["channels.*(telegram).access.rooms", "channels.*(telegram).access.mentionOnly"],
    "when people write in groups, then each channel accepts the messages that its access rules admit",
    async () => {
      const { plain, hearing, rooms } = platforms;
      for (const platform of [plain, hearing]) await say(platform, platform.group, "not to the bot");
      await posted(hearing, "not to the bot");
      for (const platform of [rooms, plain]) {
        await say(platform, platform.other, "in the other group", { mention: true });
        await say(platform, platform.group, "in the group", { mention: true });
        await posted(platform, "in the group");
      }
      await posted(plain, "in the other group");
      await say(rooms, rooms.ann, "in private");
      await posted(rooms, "I only talk in groups");
      expect(receivedTexts().filter((text) => text.includes("not to the bot"))).toHaveLength(1);
      expect(receivedTexts().filter((text) => text.includes("in the other group"))).toHaveLength(1);
      expect(receivedTexts()).not.toContain("in private");
    },
  );

  proves(
    ["channels.*(telegram).access.accounts", "channels.*(telegram).access.messagesPerMinute"],
    "when people write, then each channel answers the accounts that it admits, and refuses the others with a notice",
    async () => {
      const { plain, ann, rare } = platforms;
      for (const platform of [plain, ann]) await say(platform, platform.bob, "it is bob", { person: "bob" });
      await posted(plain, "You said: it is bob");
      await posted(ann, "may not talk to the agent");
      await say(ann, ann.ann, "it is ann");
      await posted(ann, "You said: it is ann");
      expect(receivedTexts().filter((text) => text === "it is bob")).toHaveLength(1);
      await say(rare, rare.ann, "once");
      await say(rare, rare.ann, "twice");
      await posted(rare, "more than 1 messages in a minute");
    },
  );

  proves(
    ["channels.*(telegram).reactions"],
    "when a channel has reactions, then a message that has reached the agent is marked; by default it is not",
    async () => {
      const { plain, eyes } = platforms;
      await say(eyes, eyes.ann, "with a mark");
      await eyes.telegram.methods.signs.until((signs) => signs.some(({ type }) => type === "seen"));
      await say(plain, plain.ann, "without a mark");
      await posted(plain, "You said: without a mark");
      expect(plain.telegram.methods.signs.items.filter(({ type }) => type === "seen")).toEqual([]);
    },
  );

  proves(
    ["channels.*(telegram).streaming"],
    "when an answer takes a while, then a channel that streams shows a draft, another only the complete answer, and one with reactions marks the message until then (C1)",
    async () => {
      const { plain, whole, eyes } = platforms;
      await say(eyes, eyes.ann, "tides");
      await say(whole, whole.ann, "tides");
      await expect.poll(receivedTexts).toContain("tides");
      await say(plain, plain.ann, "tides");
      await posted(plain, "The tide");
      expect(whole.telegram.posted).toEqual([]);
      const { signs } = eyes.telegram.methods;
      await signs.until((all) => all.some(({ type }) => type === "working"));
      expect(signs.items.map(({ type }) => type)).not.toContain("working-ended");
      gate.release();
      await posted(whole, "The tide comes in.");
      await signs.until((all) => all.some(({ type }) => type === "working-ended"));
      expect(plain.telegram.methods.signs.items.map(({ type }) => type)).not.toContain("working");
    },
  );

  proves(
    [
      "channels.*(telegram).delivery.quietHours.from",
      "channels.*(telegram).delivery.quietHours.to",
      "channels.*(telegram).delivery.quietHours.timeZone",
      "channels.*(telegram).timeZone",
    ],
    "when schedules have results, then they are held on the one channel where quiet hours apply",
    async () => {
      expect(await heldItems(mooring, "quiet")).toEqual(ONLY_HELD);
    },
  );

  proves(
    ["channels.*(telegram).locale"],
    "when a group has readers of unknown language, then times in anchors have the channel's format",
    async () => {
      await runSchedule(mooring, "plain");
      await runSchedule(mooring, "german");
      expect((await posted(platforms.plain, 'You said: Scheduled task "plain"'))?.text).toContain("just now");
      expect((await posted(platforms.german, 'You said: Scheduled task "german"'))?.text).toContain("jetzt");
    },
  );

  proves(
    ["channels.*(telegram).delivery.policy"],
    "when work that began on a channel ends, then other channels of the person show it too, unless the policy is origin",
    async () => {
      const client = mooring.client("ann", "web", visitorToken("ann"));
      await client.answerTo(client.say("hello"));
      const results = () => client.replies().filter(({ markdown }) => markdown?.includes("Here is everything"));
      for (const platform of [platforms.origin, platforms.plain]) {
        await say(platform, platform.ann, "research knots");
        await posted(platform, "Here is everything about it.");
      }
      await client.until(() => results().length > 0, "the result that began in Telegram");
      expect(results().map(({ anchor }) => anchor?.channel)).toEqual(["plain"]);
    },
  );
});
