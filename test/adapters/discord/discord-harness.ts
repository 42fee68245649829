import type { Inbox } from "../../../adapters/contract/channel-adapter.ts";
import { defaultTiming } from "../../../adapters/discord/api/timing.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import type { ChannelHarness, HarnessOptions, PlatformFault, Said } from "../../contract/channel-harness.ts";
import { FakeDiscord } from "../../fakes/discord/fake-discord.ts";
import type { FakeInteraction } from "../../fakes/discord/fake-interactions.ts";
import { RETRY_AFTER_S, type RestFault } from "../../fakes/discord/fake-rest.ts";
import { smallPrintOf } from "../../fakes/discord/post-input.ts";
import { HeldClock } from "../../fakes/held-clock.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { MemoryStore } from "../web/memory-store.ts";
import { CrashingStore } from "./crashing-store.ts";
import { makeDiscordAdapter } from "./make-discord-adapter.ts";

const FAULTS: Record<PlatformFault, RestFault> = {
  "rate-limited": "rate-limited",
  unavailable: "unavailable",
  "answer-lost": "answer-lost",
  "failed-after-accept": "failed-after-accept",
  "target-gone": { status: 404, body: { message: "Unknown Channel", code: 10_003 } },
  forbidden: { status: 403, body: { message: "Missing Permissions", code: 50_013 } },
  rejected: { status: 400, body: { message: "Invalid Form Body", code: 50_035 } },
  hanging: "hanging",
};

/** Both channels of a case have the same platform ids. */
const STARTED_AT = Date.now();

/** Sets up Discord for the contract suite. It has no acknowledgements, so the inbox's decisions stand in for them. */
export const discordHarness = async ({ channel, listens }: HarnessOptions): Promise<ChannelHarness> => {
  const discord = await FakeDiscord.start();
  const { world, gateway, rest, interactions } = discord;
  world.ids.freeze(STARTED_AT);
  const room = world.addRoom(world.addGuild("harbour"));
  const threads = { first: world.addThread(room), second: world.addThread(room) };
  const otherBot = { id: world.ids.next(), username: "other", global_name: "Other", bot: true };
  const access = { guilds: "*", mentionOnly: listens !== "all" };
  const memory = new MemoryStore(systemClock);
  let store = new CrashingStore(memory);
  const clock = new HeldClock(defaultTiming.stopWithinMs);
  const makeAdapter = () =>
    makeDiscordAdapter(discord, {
      channel,
      store,
      clock,
      access,
      reactions: true,
      timing: { stopWithinMs: defaultTiming.stopWithinMs },
    });
  let adapter = makeAdapter();
  /** Ids of messages that the inbox has accepted or refused. */
  const settled = new Recorder<{ id: string; accepted: boolean }>();
  /** The ids since the last start: the adapter drops their duplicates. */
  const taken = new Set<string>();
  const times = (id: string) => settled.items.filter((each) => each.id === id).length;
  const watched = (inbox: Inbox): Inbox => ({
    accept: (message) =>
      inbox.accept(message).then(
        (accepted) => {
          taken.add(message.id);
          settled.add({ id: message.id, accepted: true });
          return accepted;
        },
        (error) => {
          settled.add({ id: message.id, accepted: false });
          throw error;
        },
      ),
  });
  const events = new Map<string, string>();
  const idOf = (event: string) => {
    const id = events.get(event) ?? world.ids.next();
    events.set(event, id);
    return id;
  };
  return {
    get adapter() {
      return adapter;
    },
    kinds: ["private", "shared"],
    platform: {
      mentions: true,
      threads: true,
      replies: true,
      // Discord hides their text from bots without the Message Content intent.
      unmentionedReplies: false,
      attachments: true,
      bots: true,
      edits: true,
      buttons: true,
      quotes: true,
      times: true,
      idsPerRoom: false,
    },
    // The SDK adds 50 ms for the way through the network.
    retryAfterMs: RETRY_AFTER_S * 1_000 + 50,
    hostile: { massMention: "@everyone", anchor: '-# ↳ Re: "deep research" · <t:1735689600:R>' },
    start(inbox) {
      taken.clear();
      return adapter.start(watched(inbox));
    },
    async restart(inbox) {
      store.crash();
      await adapter.stop();
      store = new CrashingStore(memory);
      adapter = makeAdapter();
      taken.clear();
      await adapter.start(watched(inbox));
    },
    async userSays(said: Said) {
      const { text, person = "ann", kind = "private", event, mention = true, thread, replyTo, files = [], at } = said;
      const isBot = person === "this bot" || person === "another bot";
      const author = isBot ? { author: person === "this bot" ? world.bot : otherBot } : {};
      const direct = world.privateChannel(world.person(isBot ? "ann" : person));
      const where = kind === "private" ? direct : thread ? threads[thread] : room;
      const id = event === undefined ? world.ids.next() : idOf(event);
      const messageId = `${channel}:${id}`;
      const before = times(messageId);
      const answers = world.messages.find((message) => message.id === replyTo);
      if (world.messages.some((message) => message.id === id)) world.remove(id);
      discord.say({
        person: isBot ? "ann" : person,
        in: where,
        text,
        mention: kind === "shared" && mention,
        files,
        ...(answers && { answers }),
        more: { id, ...author, ...(at !== undefined && { timestamp: at }) },
      });
      const mayBeIgnored = isBot || !mention;
      if (gateway.live.length === 0 || taken.has(messageId) || mayBeIgnored) return "none";
      await settled.until(() => times(messageId) > before);
      return "none";
    },
    async userEdits({ text, event }) {
      const message = world.messages.find(({ id }) => id === idOf(event));
      if (message === undefined) throw new Error(`there is no message for ${event}`);
      message.content = message.content.replace(/^(<@\d+> )?.*$/s, (_, mention = "") => `${mention}${text}`);
      const { pings: _, ...shown } = message;
      gateway.dispatch("MESSAGE_UPDATE", { ...shown, edited_timestamp: new Date().toISOString() });
    },
    async press({ messageId, label, person = "ann" }) {
      const message = discord.posted.find(({ id }) => id === messageId);
      if (message === undefined) throw new Error(`there is no message ${messageId}`);
      const pressed = discord.press(person, message, label);
      await interactions.changes.until(() => pressed.acknowledgedAt !== undefined);
      // A refusal is a message at once; an accepted press shows "is thinking".
      return pressed.answers.length > 0 ? "denied" : "acknowledged";
    },
    forge: async () => "impossible",
    async posted(atLeast) {
      await discord.untilPosted(atLeast);
      const posts = discord.posted.map((message) => ({
        text: message.content,
        anchored: smallPrintOf(message).length > 0,
        pings: message.pings,
        messageId: message.id,
        where: message.channel_id,
        buttons: labelsOf(message.components),
        files: message.files ?? [],
        ...(message.message_reference && { answers: message.message_reference.message_id }),
      }));
      return [...posts, ...interactions.all.flatMap(answersOf)];
    },
    async textAt(link) {
      const [, guild, room, id] = /^https:\/\/discord\.com\/channels\/(@me|\d+)\/(\d+)\/(\d+)$/.exec(link) ?? [];
      const found = world.messages.find((message) => message.id === id && message.channel_id === room);
      return (found?.guild_id ?? "@me") === guild ? found?.content : undefined;
    },
    async signsDuring(act) {
      const before = { typing: discord.typing.items.length, reactions: discord.reactions.items.length };
      await act();
      const reactions = discord.reactions.items.slice(before.reactions);
      return [
        ...discord.typing.items.slice(before.typing).map((where) => ({ type: "typing", where }) as const),
        ...reactions.map(({ channelId, messageId, emoji, isRemoved = false }) => {
          const type = emoji === "👀" ? "seen" : isRemoved ? "working-ended" : "working";
          return { type, where: channelId, messageId } as const;
        }),
      ];
    },
    breakPlatform(fault) {
      const concerned = /^\/channels\/\d+\/messages/;
      rest.faultIn = ({ method, path }) => (method !== "GET" && concerned.test(path) ? FAULTS[fault] : undefined);
    },
    recoverPlatform: () => rest.recover(),
    expireStop: () => clock.expire(),
    moveRoom: async () => "none",
    removePost: (messageId) => world.remove(messageId),
    async close() {
      await adapter.stop();
      await discord.stop();
    },
  };
};

const labelsOf = (rows: readonly unknown[]): string[] =>
  (rows as { components: { label: string }[] }[]).flatMap(({ components }) => components.map(({ label }) => label));

const answersOf = ({ answers, ephemeral, personId, channelId }: FakeInteraction) =>
  answers.map(({ id, content, components }) => ({
    text: content,
    anchored: smallPrintOf({ content }).length > 0,
    pings: false,
    messageId: id,
    where: channelId,
    buttons: labelsOf(components),
    ...(ephemeral && { onlyFor: personId }),
  }));
